"""Spoiled files of networks, for ``--features``."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import torch

from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.evil import Evil
from tests.explorer.measure.mangled.tensors import tensor_bytes

__all__ = ["NETWORKS"]


def _state(rng: random.Random) -> bytes:
    states = [
        {},
        {"features.0.weight": torch.zeros(2)},
        {"Conv2d_1a_3x3.conv.weight": torch.zeros(3)},
        {"x" * 9999: torch.zeros(1)},
        {3: torch.zeros(1)},
        [torch.zeros(1)],
        torch.zeros(3),
        {"a": 3},
    ]
    return tensor_bytes(rng.choice(states))


def _archive(rng: random.Random) -> bytes:
    packed = zlib.compress(bytes(1 << 10), wbits=-15)
    members = [("x/constants.pkl", 0, b"N.", 2), ("x/data.pkl", 0, b"N.", 2), ("x/version", 0, b"3\n", 2)]
    drawn = [
        zip_bytes(members),
        zip_bytes(members[:1]),
        zip_bytes([*members, ("x/data/0", 8, packed, 2**31)]),
        zip_bytes([*members, ("x/data/0", 0, b"", 2**31)]),
        zip_bytes(members)[:-10],
        b"PK\5\6" + bytes(18),
        b"PK\5\6" + b"\xff" * 18,
        rng.randbytes(200),
    ]
    return rng.choice(drawn)


def _given(make: Callable[[random.Random, Path], bytes]) -> Callable[[random.Random, Path], list[str]]:
    def spoil(rng: random.Random, place: Path) -> list[str]:
        (place / "net.pt").write_bytes(make(rng, place))
        return [
            "--features",
            rng.choice(["inception=", "vgg16=", "torchscript=", ""]) + str(place / "net.pt"),
        ]

    return spoil


def _script(rng: random.Random) -> bytes:
    """A network that can be used no more: cut short, or with a member that is none."""
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Flatten()), buffer)
    content = buffer.getvalue()
    if rng.random() < 0.5:
        return content[: rng.randrange(len(content))]
    with zipfile.ZipFile(buffer) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    spoiled = rng.choice([name for name in members if name.endswith(("/data.pkl", "/constants.pkl"))])
    members[spoiled] = b"" if spoiled.endswith("/data.pkl") and rng.random() < 0.5 else None
    return zip_bytes([(name, 0, c, len(c)) for name, c in members.items() if c is not None])


NETWORKS: dict[str, Callable[[random.Random, Path], list[str]]] = {
    "other states": _given(lambda rng, place: _state(rng)),
    "damaged networks": _given(lambda rng, place: _script(rng)),
    "old files": _given(
        lambda rng, place: tensor_bytes(
            {"a": rng.choice([Evil(place), Evil(place), 3.5j])}, _use_new_zipfile_serialization=False
        )
    ),
    "too few images, or no labels": lambda rng, place: ["--features", "classifier"],
    "damaged archives": _given(lambda rng, place: _archive(rng)),
    "pickles that run code": _given(lambda rng, place: tensor_bytes({"a": Evil(place)})),
    "no network": lambda rng, place: [
        "--features",
        rng.choice(["vgg16=/dev/zero", f"torchscript={place}", "torchscript"]),
    ],
}
