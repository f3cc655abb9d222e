"""Spoiled .npz files."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.explorer.measure.mangled.arrays import npy_bytes, with_header
from tests.explorer.measure.mangled.evil import Evil

__all__ = ["ARCHIVES", "zip_bytes"]

GOOD = npy_bytes(np.random.default_rng(0).normal(size=(24, 3)).astype(np.float32))
LABELS = npy_bytes(np.arange(24) % 3)


def zip_bytes(members: Sequence[tuple[str, int, bytes, int]], flags: int = 0) -> bytes:
    """An archive of (name, method, packed content, size it claims to have unpacked)."""
    body, directory = bytearray(), bytearray()
    for name, method, packed, size in members:
        sums = _sum(method, packed), len(packed), min(size, 2**32 - 1)
        fields = struct.pack("<HHHHHIII", 20, flags, method, 0, 0x21, *sums)
        spelled = name.encode()
        directory += (
            b"PK\1\2\x14\0"
            + fields
            + struct.pack("<HHHHHII", len(spelled), 0, 0, 0, 0, 0, len(body))
            + spelled
        )
        body += b"PK\3\4" + fields + struct.pack("<HH", len(spelled), 0) + spelled + packed
    ends = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return bytes(body + directory) + b"PK\5\6" + ends


def _sum(method: int, packed: bytes) -> int:
    """The sum of the content; of bombs and of what is not packed as it says, none."""
    if method == 8 and len(packed) < 1 << 16:
        try:
            packed = zlib.decompress(packed, wbits=-15)
        except zlib.error:
            return 0
    return zlib.crc32(packed)


def _zeros(head: bytes, megabytes: int) -> bytes:
    """``head`` and so many megabytes of zeros, deflated without ever having been there."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + piece * megabytes + packer.flush(zlib.Z_FINISH)


def _bomb(rng: random.Random) -> bytes:
    """Zeros that grow a thousandfold, with a shape that asks for all of them or for a few."""
    megabytes = rng.choice([300, 2000, 4000])
    rows = rng.choice([24, (megabytes << 20) // 12 - 20])
    head = with_header(f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 3)}}")
    packed = _zeros(head, megabytes)
    name = rng.choice(["features.npy", "labels.npy"])
    rest = [] if name == "features.npy" else [("features.npy", 0, GOOD, len(GOOD))]
    return zip_bytes([(name, 8, packed, len(head) + (megabytes << 20)), *rest])


def _lying(rng: random.Random) -> bytes:
    """Sizes that are not those of the content."""
    packed = zlib.compress(GOOD, wbits=-15)
    method, content = rng.choice([(0, GOOD), (8, packed)])
    return zip_bytes([("features.npy", method, content, rng.choice([0, 5, 2**31, 2**32 - 1]))])


def _odd_methods(rng: random.Random) -> bytes:
    return zip_bytes(
        [("features.npy", rng.choice([1, 9, 12, 14, 93, 95, 99]), GOOD, len(GOOD))], rng.choice([0, 1])
    )


def _packed(rng: random.Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", rng.choice([zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])) as archive:
        archive.writestr("features.npy", GOOD)
    return buffer.getvalue()


def _named(rng: random.Random) -> bytes:
    """Arrays whose names do not tell which one is meant."""
    names = rng.choice(
        [["a", "b"], ["labels"], ["a", "b", "labels"], ["x" * 5000, "y" * 5000], ["\x1b[31m", "\x07"], []]
    )
    return zip_bytes([(f"{name}.npy", 0, GOOD, len(GOOD)) for name in names])


def _no_arrays(rng: random.Random) -> bytes:
    name = rng.choice(["features", "features.txt", "../../features.npy.gz", "__pycache__/x.pyc"])
    return zip_bytes([(name, 0, b"hello", 5)])


def _many(rng: random.Random) -> bytes:
    return zip_bytes([(f"array{i}.npy", 0, b"", 0) for i in range(rng.choice([300, 5_000]))])


def _same_name(rng: random.Random) -> bytes:
    bad = rng.choice([b"", b"\x93NUMPY", npy_bytes(np.zeros((3, 2)))])
    return zip_bytes([("features.npy", 0, GOOD, len(GOOD)), ("features.npy", 0, bad, len(bad))])


def _labels(rng: random.Random) -> bytes:
    integers = np.arange(24) % 3
    drawn: list[Any] = [
        np.zeros(24),
        integers[:5],
        integers[:, None],
        np.int64(3),
        integers - 1,
        integers * 10**15,
        np.full(24, 65_536),
        np.full(24, 2**64 - 1, dtype="u8"),
        np.zeros(24, "U3"),
        np.zeros(0, int),
        np.array([None] * 24),
        integers * 1j,
        integers.astype(">i4"),
        integers > 0,
    ]
    content = npy_bytes(np.asarray(rng.choice(drawn)))
    return zip_bytes([("features.npy", 0, GOOD, len(GOOD)), ("labels.npy", 0, content, len(content))])


def _label_header(rng: random.Random) -> bytes:
    shape = rng.choice([f"({2**40},)", f"({2**62},)", "(-1,)", "(24, 10000000000)"])
    content = with_header(f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}}}", bytes(99))
    return zip_bytes([("features.npy", 0, GOOD, len(GOOD)), ("labels.npy", 0, content, len(content))])


def _whole() -> bytes:
    return zip_bytes(
        [
            (name, 8, zlib.compress(c, wbits=-15), len(c))
            for name, c in (("features.npy", GOOD), ("labels.npy", LABELS))
        ]
    )


def _flipped(rng: random.Random) -> bytes:
    content = bytearray(_whole())
    for _ in range(rng.randrange(1, 6)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def _evil(rng: random.Random, place: Path) -> Path:
    objects = np.array([Evil(place)] * 24, dtype=object)
    if rng.random() < 0.5:
        np.savez(place / "bad.npz", features=objects, allow_pickle=True)
    else:
        np.savez(place / "bad.npz", features=np.zeros((24, 3)), labels=objects, allow_pickle=True)
    return place / "bad.npz"


def _bytes(make: Callable[[random.Random], bytes]) -> Callable[[random.Random, Path], Path]:
    def spoil(rng: random.Random, place: Path) -> Path:
        (place / "bad.npz").write_bytes(make(rng))
        return place / "bad.npz"

    return spoil


ARCHIVES: dict[str, Callable[[random.Random, Path], Path]] = {
    "objects": _evil,
    "a bomb": _bytes(_bomb),
    "sizes that lie": _bytes(_lying),
    "packed in an odd way": _bytes(_odd_methods),
    "packed in another way": _bytes(_packed),
    "names that do not tell": _bytes(_named),
    "no arrays": _bytes(_no_arrays),
    "many arrays": _bytes(_many),
    "one name twice": _bytes(_same_name),
    "odd labels": _bytes(_labels),
    "labels of an odd shape": _bytes(_label_header),
    "cut short": _bytes(lambda rng: _whole()[: rng.randrange(len(_whole()))]),
    "flipped bytes": _bytes(_flipped),
    "no archive": _bytes(
        lambda rng: rng.choice([b"", b"PK\3\4", b"PK\5\6" + bytes(18), GOOD, rng.randbytes(99)])
    ),
}
