"""Spoiled .npy files."""

from __future__ import annotations

import io
import os
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.explorer.measure.mangled.evil import Evil

__all__ = ["ARRAYS", "npy_bytes", "with_header"]

HUGE = [2**31, 2**40, 2**62, 2**63, 2**64, 10**30]


def npy_bytes(array: np.ndarray) -> bytes:
    """The array as a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def with_header(header: str, data: bytes = b"", version: int = 1, length: int | None = None) -> bytes:
    """A .npy file with a header of our own."""
    text = header.encode("latin1", "replace") + b"\n"
    size = len(text) if length is None else length
    return (
        b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + text + data
    )


def _header(shape: str, descr: str = "'<f4'", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


def _array(make: Callable[[random.Random], np.ndarray]) -> Callable[[random.Random, Path], Path]:
    return _bytes(lambda rng: npy_bytes(make(rng)))


def _bytes(make: Callable[[random.Random], bytes]) -> Callable[[random.Random, Path], Path]:
    def spoil(rng: random.Random, place: Path) -> Path:
        (place / "bad.npy").write_bytes(make(rng))
        return place / "bad.npy"

    return spoil


def _evil(rng: random.Random, place: Path) -> Path:
    objects = np.array([Evil(place)] * rng.choice([1, 24]), dtype=object)
    np.save(place / "bad.npy", objects, allow_pickle=True)
    return place / "bad.npy"


def _sparse(rng: random.Random, place: Path) -> Path:
    """A file of as many bytes as it says, nearly all of which take no place on the disk."""
    rows = rng.choice([2**30, 2**33])
    (place / "bad.npy").write_bytes(with_header(_header(f"({rows}, 3)")))
    os.truncate(place / "bad.npy", 256 + 12 * rows)
    return place / "bad.npy"


def _normal(rng: random.Random, *shape: int) -> np.ndarray:
    return np.random.default_rng(rng.randrange(1000)).normal(size=shape).astype(np.float32)


def _with(rng: random.Random, value: float) -> np.ndarray:
    values = _normal(rng, 24, 3).astype(np.float64)
    values[rng.randrange(24), rng.randrange(3)] = value
    return values


def _flipped(rng: random.Random) -> bytes:
    content = bytearray(npy_bytes(_normal(rng, 24, 3)))
    for _ in range(rng.randrange(1, 8)):
        content[rng.randrange(128)] = rng.randrange(256)
    return bytes(content)


def _odd(rng: random.Random) -> np.ndarray:
    kinds: list[Any] = [
        "c8",
        "c16",
        "S5",
        "U5",
        "M8[s]",
        "m8[D]",
        "g",
        "V7",
        [("a", "f4"), ("b", "i4")],
        [("é", "f4")],
    ]
    return np.zeros((24, 3), dtype=rng.choice(kinds))


def _odd_shape(rng: random.Random) -> bytes:
    huge = rng.choice(HUGE)
    shapes = [
        f"({huge}, 3)",
        f"(24, {huge})",
        f"({huge}, {huge})",
        f"(-{huge}, 3)",
        "(-24, -3)",
        "(24.0, 3)",
        "24",
        "None",
        "(True, 3)",
        "('24', 3)",
        "((24,), 3)",
        "(24, 3",
        "[24, 3]",
        f"({'1, ' * 500})",
        f"{'(' * 3000}1,{')' * 3000}",
        f"{'-' * 4000}1",
        "(0xfffffffffff, 3)",
        "()",
        "(24, 0)",
        "(0, 3)",
    ]
    return with_header(_header(rng.choice(shapes)), bytes(288), rng.choice([1, 2]))


def _odd_header(rng: random.Random) -> bytes:
    headers = [
        _header("(24, 3)", "'|O'"),
        _header("(24, 3)", "'<f99999999'"),
        _header("(24, 3)", "'|S2000000000'"),
        _header("(24, 3)", "[('a', '<f4', (2000000000,))]"),
        _header("(24, 3)", "{}"),
        _header("(24, 3)", "'" + "f" * 5000 + "'"),
        _header("(24, 3)", order="'x'"),
        "{}",
        "[]",
        "",
        "\0" * 50,
        "__import__('os').mkdir('executed')",
        "{" * 5000,
        "{'descr': '<f4'}",
        " " * 9000,
        "x" * 60000,
    ]
    return with_header(rng.choice(headers), bytes(288), rng.choice([1, 2, 3]))


ARRAYS: dict[str, Callable[[random.Random, Path], Path]] = {
    "objects": _evil,
    "numbers that are none": _array(_odd),
    "an odd shape": _bytes(_odd_shape),
    "an odd header": _bytes(_odd_header),
    "a header without end": _bytes(
        lambda rng: with_header("{", bytes(9), 2, rng.choice([2**32 - 1, 2**31, 10**6]))
    ),
    "an unknown version": _bytes(
        lambda rng: with_header(_header("(24, 3)"), bytes(288), rng.choice([0, 4, 9, 255]))
    ),
    "another kind of file": _bytes(
        lambda rng: rng.choice([b"PK\3\4", b"%PDF", b"\x93NUMPY", b"\0" * 99, rng.randbytes(200)])
    ),
    "cut short": _bytes(lambda rng: npy_bytes(_normal(rng, 24, 3))[: rng.randrange(400)]),
    "flipped bytes": _bytes(_flipped),
    "a sparse file": _sparse,
    "no axis": _array(lambda rng: np.float64(rng.random()) * np.ones(())),
    "nothing inside": _array(lambda rng: np.zeros(rng.choice([(0,), (0, 3), (24, 0), (24, 0, 5), (0, 0)]))),
    "too many axes": _array(
        lambda rng: np.zeros((2,) * rng.randrange(5, 30) if rng.random() < 0.5 else (1,) * 40)
    ),
    "too few samples": _array(lambda rng: _normal(rng, rng.randrange(1, 6), 3)),
    "other columns": _array(lambda rng: _normal(rng, 24, rng.choice([1, 2, 4, 300]))),
    "very wide": _array(lambda rng: _normal(rng, 24, rng.choice([60_000, 200_000]))),
    "NaN or infinity": _array(lambda rng: _with(rng, rng.choice([np.nan, np.inf, -np.inf]))),
    "numbers too large": _array(lambda rng: _with(rng, rng.choice([1e154, 1e200, 1e308, -1e308]))),
    "narrow numbers too large": _array(
        lambda rng: _with(rng, rng.choice([1e18, 1e20, -3e38])).astype(np.float32)
    ),
    "equal rows": _array(lambda rng: np.full((24, 3), rng.choice([0, 1e-300, 7]))),
    "columns first": _array(lambda rng: np.asfortranarray(_normal(rng, 24, 3))),
    "big-endian": _array(lambda rng: _normal(rng, 24, 3).astype(rng.choice([">f4", ">f8", ">i2", ">f2"]))),
    "integers": _array(
        lambda rng: (
            (9 * _normal(rng, 24, 3)).clip(0).astype(rng.choice(["u1", "u2", "u4", "u8", "i8", "?", "f2"]))
        )
    ),
    "image floats out of range": _array(lambda rng: _normal(rng, 24, 5, 6) * rng.choice([5, 1e30, np.nan])),
    "image integers": _array(lambda rng: np.zeros((24, 5, 6), dtype=rng.choice(["i8", "u2", "?", "i1"]))),
    "image channels of any number": _array(
        lambda rng: np.zeros((24, 5, 6, rng.choice([2, 4, 7])), dtype=np.uint8)
    ),
}
