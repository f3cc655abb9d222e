"""IDX files: read whole, and refused when damaged, too long, or with labels that do not fit."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import torch

from tests.trainables.datasets.made_sets import idx, labelled, make_mnist
from trainables.sources.idx import read_idx, read_part


def _idx(shape, data):
    return b"\x00\x00\x08" + bytes([len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape) + data


def test_idx_plain_and_gzipped(tmp_path):
    content = _idx((2, 3), bytes(range(6)))
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    for name in ("a", "a.gz"):
        assert read_idx(tmp_path / name).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PNG",
        _idx((2, 3), bytes(5)),  # shorter than it says
        _idx((2, 3), bytes(7)),
        _idx((2, 3), b""),
        _idx((2**31, 2**31), bytes(6)),
        _idx((1,) * 9, bytes(1)),
        b"\0\0\x0b\1\0\0\0\2" + bytes(4),  # whole numbers of 16 bits
        b"\0\0\x07\1\0\0\0\2" + bytes(4),  # no type there is
    ],
)
def test_damaged_files_are_refused_in_a_sentence(content, tmp_path):
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    for name in ("a", "a.gz"):
        with pytest.raises(ValueError, match=f"{name} must be an IDX file"):
            read_idx(tmp_path / name)


def test_a_damaged_gzip_file_is_refused_in_a_sentence(tmp_path):
    whole = gzip.compress(_idx((2, 3), bytes(range(6))))
    for content in (b"", b"PK", whole[:-9], whole[:12] + b"\xff" + whole[13:]):
        (tmp_path / "a.gz").write_bytes(content)
        with pytest.raises(ValueError, match="must be an IDX file"):
            read_idx(tmp_path / "a.gz")


def test_a_gzip_file_is_unpacked_up_to_a_limit(tmp_path, monkeypatch):
    (tmp_path / "a.gz").write_bytes(gzip.compress(_idx((5 << 20,), bytes(5 << 20))))
    assert read_idx(tmp_path / "a.gz").shape == (5 << 20,)
    monkeypatch.setattr("trainables.sources.idx._LARGEST", 1 << 21)
    with pytest.raises(ValueError, match="must be an IDX file"):
        read_idx(tmp_path / "a.gz")


@pytest.mark.parametrize("packed", [True, False])
def test_a_part_is_images_with_their_labels(packed, tmp_path):
    make_mnist(tmp_path, train=30, test=20, packed=packed)
    for part, count, seed in (("train", 30, 0), ("test", 20, 1)):
        images, labels = read_part(tmp_path, part)
        expected, numbers = labelled(count, (28, 28), seed)
        assert torch.equal(images[:, 0], torch.from_numpy(expected))
        assert labels.dtype == torch.int64
        assert labels.tolist() == numbers.tolist()


@pytest.mark.parametrize(
    ("name", "array", "sentence"),
    [
        (
            "train-labels-idx1-ubyte",
            np.zeros(29),
            "must hold 30 labels 0 to 9, one for each image, got shape (29,)",
        ),
        ("train-labels-idx1-ubyte", np.full(30, 10), "must hold 30 labels 0 to 9"),
        ("train-labels-idx1-ubyte", np.zeros(0), "must be an IDX file as long as its sizes say"),
        (
            "train-images-idx3-ubyte",
            np.zeros((30, 27, 28)),
            "must hold images of 28×28, got shape (30, 27, 28)",
        ),
        (
            "train-images-idx3-ubyte",
            np.zeros((0, 28, 28)),
            "must be an IDX file as long as its sizes say",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_named(name, array, sentence, tmp_path):
    make_mnist(tmp_path, train=30, test=20, packed=False)
    (tmp_path / name).write_bytes(idx(array))
    with pytest.raises(ValueError, match=r".") as refusal:
        read_part(tmp_path, "train")
    assert str(refusal.value).startswith(f"{tmp_path / name} {sentence}")
