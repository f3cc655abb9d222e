"""Arrays are read block by block, as they lie; what is damaged or no array of numbers is one sentence."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from trainables.samplers import array_samples
from trainables.samplers.array_samples import ArraySamples, array_names, read_member

NUMBERS = np.random.default_rng(0).random((10, 3, 6, 5))


@pytest.mark.parametrize(
    ("array", "shape"),
    [
        (NUMBERS[:, :, 0, 0], (3,)),
        (NUMBERS[:, 0, 0, 0], (1,)),
        (NUMBERS[:, 0], (1, 6, 5)),
        (NUMBERS, (3, 6, 5)),
        (NUMBERS.transpose(0, 2, 3, 1), (3, 6, 5)),
        ((255 * NUMBERS).astype(np.uint8), (3, 6, 5)),
        ((9 * NUMBERS[:, :, 0, 0]).astype(">i4"), (3,)),
        (NUMBERS.astype(np.float16), (3, 6, 5)),
    ],
    ids=["points", "numbers", "grey", "images", "channels behind", "bytes", "big-endian", "halves"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_are_the_array(
    array: NDArray[Any], shape: tuple[int, ...], packed: bool, tmp_path: Path
) -> None:
    (np.savez_compressed if packed else np.savez)(tmp_path / "a.npz", samples=np.ascontiguousarray(array))
    samples = ArraySamples(tmp_path / "a.npz", "samples")
    assert (samples.shape, len(samples)) == (shape, 10)
    blocks = list(samples.blocks(4))
    assert [len(block) for block in blocks] == [4, 4, 2]
    expected = array.transpose(0, 3, 1, 2) if array.shape[1:] == (6, 5, 3) else array
    assert torch.equal(
        torch.cat(blocks), torch.from_numpy(expected.reshape(10, *shape).astype(blocks[0].numpy().dtype))
    )
    assert blocks[0].dtype == (torch.uint8 if array.dtype == np.uint8 else torch.float32)
    assert all(torch.equal(a, b) for a, b in zip(samples.blocks(4, 1), blocks[1:], strict=True))
    assert list(samples.blocks(4, 3)) == []


def test_names_and_small_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", samples=NUMBERS, scores=np.arange(10))
    assert array_names(tmp_path / "a.npz") == {"samples", "scores"}
    assert read_member(tmp_path / "a.npz", "scores").tolist() == list(range(10))


def test_no_more_is_read_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "a.npz", samples=np.zeros((1000, 7), np.float32))
    sizes: list[int] = []
    exactly = array_samples._exactly

    def counted(file: Any, size: int, name: str) -> bytes:
        sizes.append(size)
        return exactly(file, size, name)

    monkeypatch.setattr(array_samples, "_exactly", counted)
    next(ArraySamples(tmp_path / "a.npz", "samples").blocks(50, 3))
    assert sizes == [50 * 7 * 4]


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (np.asfortranarray(NUMBERS[:, :, 0, 0]), "one sample after the other.*ascontiguousarray"),
        (np.array(["a", "b"]), "must be real numbers, got <U1"),
        (np.zeros(3, complex), "must be real numbers, got complex128"),
        (np.zeros((2, 1, 1, 1, 1)), r"got shape \(2, 1, 1, 1, 1\)"),
        (np.zeros((2, 0)), r"got shape \(2, 0\)"),
        (np.array(1.0), r"got shape \(\)"),
    ],
    ids=["columns", "texts", "complex", "five axes", "empty", "a number"],
)
def test_what_is_no_array_of_samples_is_refused(array: NDArray[Any], told: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", samples=array)
    with pytest.raises(ValueError, match=told):
        ArraySamples(tmp_path / "a.npz", "samples")


def test_pickled_objects_are_never_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", samples=np.array([{}, []], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="must be real numbers, got object"):
        ArraySamples(tmp_path / "a.npz", "samples")


def test_damage_and_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*none.npz"):
        array_names(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(ValueError, match=r"text.npz must be a file of numpy.savez"):
        array_names(tmp_path / "text.npz")
    np.savez(tmp_path / "a.npz", samples=NUMBERS)
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    raw[2000] ^= 255
    (tmp_path / "a.npz").write_bytes(raw)
    with pytest.raises(ValueError, match="damaged or none: Bad CRC-32"):
        list(ArraySamples(tmp_path / "a.npz", "samples").blocks(4))
    with zipfile.ZipFile(tmp_path / "short.npz", "w") as made:
        np.save(tmp_path / "whole.npy", NUMBERS)
        made.writestr("samples.npy", (tmp_path / "whole.npy").read_bytes()[:-9])
    with pytest.raises(ValueError, match="ends before its last sample"):
        list(ArraySamples(tmp_path / "short.npz", "samples").blocks(4))
    with zipfile.ZipFile(tmp_path / "odd.npz", "w") as made:
        made.writestr("samples.npy", b"no header")
    with pytest.raises(ValueError, match=r"'samples' of .* must be an array of numpy, but it is damaged"):
        ArraySamples(tmp_path / "odd.npz", "samples")


def test_samples_that_are_not_finite_are_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", samples=np.array([[1.0], [np.nan]]))
    with pytest.raises(ValueError, match="must be finite, but holds NaN"):
        list(ArraySamples(tmp_path / "a.npz", "samples").blocks(4))


def test_arrays_that_are_too_large_to_hold_are_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_samples, "MOST_HELD", 100)
    np.savez(tmp_path / "a.npz", samples=np.zeros((2, 13)), scores=np.zeros(13))
    with pytest.raises(ValueError, match="samples of at most 100 bytes"):
        ArraySamples(tmp_path / "a.npz", "samples")
    with pytest.raises(ValueError, match="at most 100 bytes, got 104"):
        read_member(tmp_path / "a.npz", "scores")
