"""Reading arrays and folders; every bad input is one sentence."""

from __future__ import annotations

import os

import numpy as np
import pytest
import torch
from PIL import Image

from explorer.errors import UserError
from explorer.measure.inputs import SampleSet, check_set, load_sets, outline_set, outline_sets


def load(path) -> SampleSet:
    outline = outline_set(path)
    return load_sets(outline, outline)[0]


def test_arrays_of_every_kind(tmp_path):
    x = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "a.npy", x)
    np.savez(tmp_path / "a.npz", features=x, labels=np.array([0, 1, 1, 0]))
    np.savez(tmp_path / "b.npz", whatever=x)
    torch.save(torch.from_numpy(x), tmp_path / "a.pt")
    for name in ("a.npy", "a.npz", "b.npz", "a.pt"):
        found = load(tmp_path / name)
        assert found.is_features
        assert len(found) == 4
        np.testing.assert_array_equal(found.array, x)
    labels = load(tmp_path / "a.npz").labels
    assert labels is not None
    assert labels.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((5, 8, 9), (5, 1, 8, 9)), ((5, 3, 8, 9), (5, 3, 8, 9)), ((5, 8, 9, 3), (5, 3, 8, 9)), ((7,), (7, 1))],
)
def test_images_are_channels_first(shape, expected, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros(shape, dtype=np.uint8))
    array = load(tmp_path / "x.npy").array
    assert array is not None
    assert tuple(array.shape) == expected


def test_folder_of_images_with_several_sizes(tmp_path):
    for i, (size, mode) in enumerate([((4, 5), "L"), ((4, 5), "L"), ((6, 6), "RGB"), ((6, 6), "RGBA")]):
        Image.new(mode, size, 10 * i if mode == "L" else (10 * i,) * len(mode)).save(tmp_path / f"{i}.png")
    (tmp_path / "notes.txt").write_text("not an image")
    found = load(tmp_path)
    assert len(found) == 4
    batches = list(found.batches(8))
    assert [tuple(b.shape) for b in batches] == [(2, 1, 5, 4), (2, 3, 6, 6)]
    assert batches[0][1].unique().tolist() == [10]
    times = (tmp_path / "0.png").stat()
    before = found.fingerprint
    assert load(tmp_path).fingerprint == before
    Image.new("L", (4, 5), 1).save(tmp_path / "0.png")
    os.utime(tmp_path / "0.png", ns=(times.st_atime_ns, times.st_mtime_ns))
    changed = load(tmp_path).fingerprint  # same name and time, as from an archive
    assert changed != before
    Image.new("L", (4, 5), 99).save(tmp_path / "4.png")
    assert load(tmp_path).fingerprint not in (before, changed)


def test_bad_inputs_are_sentences(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        load(tmp_path / "none.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="must hold images"):
        load(tmp_path / "empty")
    (tmp_path / "x.csv").write_text("1,2")
    with pytest.raises(UserError, match=r"got '\.csv'"):
        load(tmp_path / "x.csv")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UserError, match="without pickled objects"):
        load(tmp_path / "objects.npy")
    np.save(tmp_path / "five.npy", np.zeros((2, 2, 2, 2, 2)))
    with pytest.raises(UserError, match=r"\(2, 2, 2, 2, 2\)"):
        load(tmp_path / "five.npy")
    np.save(tmp_path / "zero.npy", np.zeros((0, 3)))
    with pytest.raises(UserError, match="at least one sample"):
        load(tmp_path / "zero.npy")
    np.savez(tmp_path / "two.npz", a=np.zeros(3), b=np.zeros(3))
    with pytest.raises(UserError, match="one array"):
        load(tmp_path / "two.npz")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x.png").write_bytes(b"\x89PNG broken")
    with pytest.raises(UserError, match=r"x\.png must be an image"):
        list(load(tmp_path / "bad").batches())
    Image.fromarray(np.full((4, 4), 40000, dtype=np.uint16)).save(tmp_path / "bad" / "x.png")
    with pytest.raises(UserError, match=r"x\.png must have 8 bits per channel"):
        list(load(tmp_path / "bad").batches())
    np.save(tmp_path / "complex.npy", np.zeros((3, 2), dtype=np.complex64))
    with pytest.raises(UserError, match=r"must hold real numbers, got complex64"):
        load(tmp_path / "complex.npy")


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.zeros(3), "integers 0, 1, …, got float64"),
        (np.zeros(2, dtype=int), r"shape \(2,\) for 3 samples"),
        (np.zeros(0, dtype=int), r"shape \(0,\) for 3 samples"),
        (np.array([0, -1, 2]), "below 65536, got -1 to 2"),
        (np.array([0, 10**12, 2]), "got 0 to 1000000000000"),
        (np.array([0, 2**64 - 1, 2], dtype=np.uint64), "got -1 to 2"),
    ],
)
def test_labels_are_checked(labels, sentence, tmp_path):
    np.savez(tmp_path / "x.npz", features=np.zeros((3, 2)), labels=labels)
    with pytest.raises(UserError, match=sentence):
        load(tmp_path / "x.npz")


def test_arrays_of_another_byte_order_and_axis_order_are_read(tmp_path):
    x = np.arange(12, dtype=">f4").reshape(4, 3)
    np.save(tmp_path / "big.npy", x)
    np.savez_compressed(tmp_path / "columns.npz", np.asfortranarray(x))
    for name in ("big.npy", "columns.npz"):
        np.testing.assert_array_equal(load(tmp_path / name).array, x)


def test_large_images_come_in_smaller_batches(tmp_path, monkeypatch):
    for i in range(5):
        Image.new("L", (4, 4)).save(tmp_path / f"{i}.png")
    monkeypatch.setattr("explorer.measure.inputs.BATCH_PIXELS", 40)
    assert [len(batch) for batch in load(tmp_path).batches()] == [2, 2, 1]
    monkeypatch.setattr("explorer.measure.inputs.BATCH_PIXELS", 1)
    assert [len(batch) for batch in load(tmp_path).batches()] == [1] * 5


def test_names_that_are_no_text_are_read(tmp_path):
    file = os.fsencode(tmp_path) + b"/\xff\x01[b].png"
    Image.new("L", (4, 4)).save(os.fsdecode(file))
    found = load(tmp_path)
    assert len(found) == 1
    assert len(found.fingerprint) == 16


def test_a_folder_has_no_array(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "0.png")
    with pytest.raises(ValueError, match="must be an array, but it is a folder"):
        _ = load(tmp_path).tensor


def test_numbers_are_looked_at_as_wide_as_they_are_measured(tmp_path):
    narrow, wide = np.full((4, 3), 1e20, dtype=np.float32), np.ones((4, 3))
    np.save(tmp_path / "narrow.npy", narrow)
    np.save(tmp_path / "wide.npy", wide)
    with pytest.raises(
        UserError, match=r"REAL must hold numbers up to 5\.3e\+18, .* overflows float32, got 1\.0e\+20"
    ):
        load(tmp_path / "narrow.npy")
    sides = [outline_set(tmp_path / name) for name in ("wide.npy", "narrow.npy")]
    assert load_sets(*sides)[1].tensor.max() > 9e19  # beside float64 both are measured in it
    check_set("FAKE", sides[1], sides[0])
    with pytest.raises(UserError, match=r"FAKE must hold numbers up to 5\.3e\+18"):
        check_set("FAKE", sides[1], sides[1])
    np.save(tmp_path / "wide.npy", -wide * 1e200)
    with pytest.raises(UserError, match=r"overflows float64, got 1\.0e\+200"):
        load(tmp_path / "wide.npy")


def test_images_are_looked_at_whole(tmp_path):
    images = np.zeros((40, 4, 4), dtype=np.float16)
    np.save(tmp_path / "x.npy", images)
    assert load(tmp_path / "x.npy").tensor.shape == (40, 1, 4, 4)
    images[39, 3, 3] = 2
    torch.save(torch.from_numpy(images), tmp_path / "x.pt")
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\], got values from 0 to 2"):
        load(tmp_path / "x.pt")


def test_an_empty_folder_is_found_before_the_other_is_gone_through(tmp_path):
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "x.png").write_bytes(b"no image")
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.npy").write_bytes(b"no array")
    with pytest.raises(UserError, match=r"empty must hold images .* has none of them"):
        outline_sets(tmp_path / "damaged", tmp_path / "empty")
    with pytest.raises(UserError, match=r"x\.npy must hold numeric arrays"):
        outline_sets(tmp_path / "damaged", tmp_path / "x.npy")
    np.save(tmp_path / "a.npy", np.zeros((3, 2)))
    np.save(tmp_path / "b.npy", np.zeros((5, 2)))
    assert [o.shape[0] for o in outline_sets(tmp_path / "b.npy", tmp_path / "a.npy")] == [5, 3]


@pytest.mark.parametrize(
    ("scale", "told"), [(1e31, "up to 1.0e\\+30"), (1e-31, "of 1e-30 and more"), (0.0, None)]
)
def test_features_lie_where_powers_of_them_are_numbers(scale, told, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((5, 2)) * scale)
    outlines = outline_sets(tmp_path / "x.npy", tmp_path / "x.npy")
    if told is None:
        load_sets(*outlines)
        return
    with pytest.raises(UserError, match=f"REAL must hold numbers {told}.*; rescale the features"):
        load_sets(*outlines)
