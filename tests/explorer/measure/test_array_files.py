"""Headers of .npy and .npz files are believed only as far as the file reaches."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.measure.array_files import LARGE, outline_npy, outline_npz, read_npy, read_npz
from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.arrays import npy_bytes, with_header

HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}}}"


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f8", "|u1", "<i8", "|b1"])
def test_outline_and_array_agree(dtype: str, tmp_path: Path) -> None:
    x = np.arange(12).reshape(4, 3).astype(dtype)
    np.save(tmp_path / "x.npy", np.asfortranarray(x))
    np.savez_compressed(tmp_path / "x.npz", features=x, labels=np.arange(4), other=np.zeros(7))
    for found in (outline_npy(tmp_path / "x.npy"), outline_npz(tmp_path / "x.npz")):
        assert (found.shape, found.dtype) == ((4, 3), x.dtype.name)
    assert outline_npz(tmp_path / "x.npz").labelled
    for array in (read_npy(tmp_path / "x.npy"), read_npz(tmp_path / "x.npz", "features")):
        np.testing.assert_array_equal(array, x)
        assert array.dtype.isnative


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            with_header(HEADER.format("<f4", f"({2**62}, {2**62})"), bytes(99)),
            "it ends before its array does",
        ),
        (with_header(HEADER.format("<f4", "(-3, 2)"), bytes(99)), "its shape is negative"),
        (with_header(HEADER.format("|O", "(3, 2)"), bytes(99)), "it has pickled objects"),
        (with_header("{", bytes(99), 2, 2**32 - 1), "reading it failed"),
        (with_header(HEADER.format("<f4", "(3, 2)"), bytes(99), 3), "format 3.0"),
        (npy_bytes(np.zeros((3, 2)))[:-1], "it ends before its array does"),
        (b"PK", "reading it failed"),
    ],
)
def test_headers_that_lie_are_refused(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(UserError, match=f"numeric arrays without pickled objects.*{told}"):
        outline_npy(tmp_path / "x.npy")
    (tmp_path / "x.npz").write_bytes(zip_bytes([("x.npy", 0, content, len(content))]))
    with pytest.raises(UserError, match=told):
        outline_npz(tmp_path / "x.npz")


def test_a_bomb_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(zip_bytes([("x.npy", 8, b"not even deflated", LARGE + 1)]))
    with pytest.raises(UserError, match=f"grows from 17 to {LARGE + 1} bytes"):
        outline_npz(tmp_path / "x.npz")
    (tmp_path / "x.npz").write_bytes(zip_bytes([("x.npy", 14, b"", 99)]))
    with pytest.raises(UserError, match="packed in a way numpy never does"):
        outline_npz(tmp_path / "x.npz")


def test_a_member_damaged_behind_its_header_is_refused_when_read(tmp_path: Path) -> None:
    content = npy_bytes(np.zeros((3000, 2)))
    (tmp_path / "x.npz").write_bytes(
        zip_bytes([("x.npy", 0, content, len(content))]).replace(bytes(48), b"x" * 48)
    )
    assert outline_npz(tmp_path / "x.npz").shape == (3000, 2)
    with pytest.raises(UserError, match="Bad CRC-32"):
        read_npz(tmp_path / "x.npz", "x")


@pytest.mark.parametrize("name", ["features", "labels"])
def test_a_member_that_numpy_would_take_instead_is_not_read(name: str, tmp_path: Path) -> None:
    """Asked for ``features``, numpy prefers a member of exactly that name, which nobody has looked at."""
    checked, shadow = (npy_bytes(np.full((6, 2), value)) for value in (1.0, 2.0))
    members = [(f"{name}.npy", 0, checked, len(checked)), (name, 0, shadow, len(shadow))]
    (tmp_path / "x.npz").write_bytes(zip_bytes(members))
    assert np.array_equal(read_npz(tmp_path / "x.npz", name), np.full((6, 2), 1.0))


def test_a_header_of_python_2_is_read_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(with_header(HEADER.format("<f4", "(3L, 2L)"), bytes(24)))
    (tmp_path / "y.npy").write_bytes(with_header(HEADER.format("<f4", "(3or 1, 2)"), bytes(24)))
    with warnings.catch_warnings(action="error"):
        assert outline_npy(tmp_path / "x.npy").shape == (3, 2)
        with pytest.raises(UserError, match="reading it failed"):
            outline_npy(tmp_path / "y.npy")


def test_an_array_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive, warnings.catch_warnings(action="ignore"):
        for start in (0, 1):
            archive.writestr("features.npy", npy_bytes(np.arange(start, start + 6.0).reshape(3, 2)))
    with pytest.raises(UserError, match="'features' is in it twice"):
        outline_npz(tmp_path / "x.npz")
