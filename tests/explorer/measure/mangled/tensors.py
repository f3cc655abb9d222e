"""Spoiled .pt files."""

from __future__ import annotations

import io
import pickle
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.evil import Evil

__all__ = ["TENSORS", "tensor_bytes", "tensor_pickle"]


def tensor_bytes(value: Any, **options: Any) -> bytes:
    """The value as ``torch.save`` writes it."""
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def tensor_pickle(numbers: int, shape: tuple[int, ...], stride: tuple[int, ...], offset: int = 0) -> bytes:
    """The ``data.pkl`` of one float32 tensor in the storage ``0``, as small as can be."""

    def whole(n: int) -> bytes:
        spelled = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(spelled)]) + spelled

    def text(word: bytes) -> bytes:
        return b"X" + struct.pack("<I", len(word)) + word

    def together(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(map(whole, values)) + b"t"

    place = (
        b"("
        + text(b"storage")
        + b"ctorch\nFloatStorage\n"
        + text(b"0")
        + text(b"cpu")
        + whole(numbers)
        + b"tQ"
    )
    hooks = b"\x89ccollections\nOrderedDict\n)R"
    parts = place + whole(offset) + together(shape) + together(stride) + hooks
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + parts + b"tR."


def _archive(
    pickled: bytes, storage: bytes | None = bytes(288), method: int = 0, size: int | None = None
) -> bytes:
    members = [
        ("x/data.pkl", 0, pickled, len(pickled)),
        ("x/version", 0, b"3\n", 2),
        ("x/byteorder", 0, b"little", 6),
    ]
    if storage is not None:
        members.append(("x/data/0", method, storage, len(storage) if size is None else size))
    return zip_bytes(members)


def _shapes(rng: random.Random) -> bytes:
    huge = rng.choice([2**31, 2**40, 2**62, 2**70, 10**100])
    numbers, shape, stride, offset = rng.choice(
        [
            (huge, (24, 3), (3, 1), 0),
            (72, (huge, 3), (3, 1), 0),
            (72, (huge, 3), (0, 0), 0),
            (72, (24, 3), (huge, 1), 0),
            (72, (24, 3), (3, 1), huge),
            (72, (-24, 3), (3, 1), 0),
            (72, (24, 3), (-3, 1), 71),
            (72, (24, 3), (3,), 0),
            (72, (25, 3), (3, 1), 0),
            (72, (0, 3), (3, 1), 0),
            (72, (), (), 0),
            (0, (24, 3), (3, 1), 0),
            (-72, (24, 3), (3, 1), 0),
        ]
    )
    return _archive(tensor_pickle(numbers, shape, stride, offset))


def _storages(rng: random.Random) -> bytes:
    good = tensor_pickle(72, (24, 3), (3, 1))
    return rng.choice(
        [
            _archive(good, None),
            _archive(good, b""),
            _archive(good, bytes(287)),
            _archive(good, bytes(288), 8),
            _archive(good, bytes(9), 0, 288),
            _archive(good, bytes(288), 0, 2**32 - 1),
            _archive(good, bytes(288), 12),
        ]
    )


def _pickles(rng: random.Random) -> bytes:
    """Pickles that are short and would take for ever, or all there is."""
    doubled = (
        b"\x80\x02})"
        + b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + b"\x86" for i in range(60))
        + b"K\1s."
    )
    return _archive(
        rng.choice(
            [
                doubled,
                b"\x80\x02}" + b")" + b"\x85" * 100_000 + b"K\1s.",
                b"\x80\x02" + b"(" * 100_000,
                b"\x80\x02Nr\xff\xff\xff\x7f.",
                b"\x80\x02X\xff\xff\xff\x7f",
                b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
                b"",
                b".",
                b"N.",
                b"\x80\x02K\1K\2.",
                b"h\5.",
                b"\x80\x02}X\1\0\0\0aN(X\1\0\0\0bu.",
                b"I" + b"9" * 5000 + b"\n.",
                bytes(2 << 20),
                rng.randbytes(300),
            ]
        )
    )


def _odd_values(rng: random.Random) -> bytes:
    x = torch.arange(72.0).reshape(24, 3)
    drawn: list[Any] = [
        None,
        3,
        "text",
        [x],
        (x, x),
        {},
        {"a": x, "b": x},
        {"a": 1},
        {1: x, "b": x},
        {"labels": x},
        {"features": [1, 2]},
        {"features": x, "labels": [1, 2]},
        {"features": x, "labels": x},
        {"features": x, "labels": torch.arange(5)},
        {"features": x, "labels": torch.full((24,), 10**15)},
        {"features": x, "labels": -torch.arange(24)},
        x * 1j,
        x.to_sparse(),
        torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        x.to(torch.uint16),
        x.to(torch.float8_e4m3fn),
        x[:0],
        x[:, :0],
        x[:4],
        x * torch.nan,
        (x * torch.nan).to(torch.bfloat16),
        x.double() * 1e200,
        {"images": x.reshape(24, 1, 1, 3)},
        {"images": (x.reshape(24, 1, 1, 3) - 9).half()},
        {"images": x.reshape(24, 1, 1, 3).long()},
        torch._neg_view(x),
        torch.nn.Linear(3, 3),
        x[0, 0],
        torch.zeros(1).expand(10**9, 3),
        torch.zeros(1).expand(24, 10**7),
        x.bool(),
        torch.nn.Parameter(x),
        x.T,
        x.to(torch.bfloat16),
        torch.device("cpu"),
        torch.float32,
        {"x" * 9999: x, "b": x},
        torch.nn.Linear(3, 3).state_dict(),
    ]
    return tensor_bytes(rng.choice(drawn))


def _damaged(rng: random.Random) -> bytes:
    content = bytearray(tensor_bytes({"features": torch.rand(24, 3), "labels": torch.arange(24) % 3}))
    if rng.random() < 0.3:
        return bytes(content[: rng.randrange(len(content))])
    for _ in range(rng.randrange(1, 30)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def _flipped_pickle(rng: random.Random) -> bytes:
    content = bytearray(tensor_pickle(72, (24, 3), (3, 1)))
    for _ in range(rng.randrange(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return _archive(bytes(content))


def _evil(rng: random.Random, place: Path) -> Path:
    bad = {"features": torch.zeros(24, 3), "labels": Evil(place)} if rng.random() < 0.5 else Evil(place)
    pickled = pickle.dumps(Evil(place), protocol=rng.randrange(6))
    (place / "bad.pt").write_bytes(
        rng.choice(
            [
                lambda: tensor_bytes(bad),
                lambda: pickled,
                lambda: _archive(pickled),
                lambda: tensor_bytes(bad, _use_new_zipfile_serialization=False),
            ]
        )()
    )
    return place / "bad.pt"


def _bomb(rng: random.Random) -> bytes:
    """A storage that is packed, and grows a thousandfold."""
    buffer = io.BytesIO()
    numbers = rng.choice([1 << 20, 1 << 24])
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", tensor_pickle(numbers, (numbers // 4, 4), (4, 1)))
        archive.writestr("x/data/0", bytes(4 * numbers))
    return buffer.getvalue()


def _bytes(make: Callable[[random.Random], bytes]) -> Callable[[random.Random, Path], Path]:
    def spoil(rng: random.Random, place: Path) -> Path:
        file = place / rng.choice(["bad.pt", "bad.pth"])
        file.write_bytes(make(rng))
        return file

    return spoil


TENSORS: dict[str, Callable[[random.Random, Path], Path]] = {
    "pickles that run code": _evil,
    "shapes that are not": _bytes(_shapes),
    "storages that are not": _bytes(_storages),
    "hostile pickles": _bytes(_pickles),
    "odd values": _bytes(_odd_values),
    "other values": _bytes(_odd_values),
    "damaged": _bytes(_damaged),
    "a flipped pickle": _bytes(_flipped_pickle),
    "a bomb": _bytes(_bomb),
    "an old format": _bytes(
        lambda rng: tensor_bytes(torch.rand(24, 3), _use_new_zipfile_serialization=False)
    ),
    "no tensors": _bytes(
        lambda rng: rng.choice([b"", b"\x80\x02.", zip_bytes([("a", 0, b"", 0)]), rng.randbytes(500)])
    ),
}
