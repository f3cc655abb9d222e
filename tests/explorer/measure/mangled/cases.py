"""One case after the other: a way to spoil an input, drawn with its numbers from a seed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from tests.explorer.measure.mangled.archives import ARCHIVES
from tests.explorer.measure.mangled.arrays import ARRAYS
from tests.explorer.measure.mangled.evil import EXECUTED
from tests.explorer.measure.mangled.folders import FOLDERS
from tests.explorer.measure.mangled.networks import NETWORKS
from tests.explorer.measure.mangled.options import OPTIONS, PATHS
from tests.explorer.measure.mangled.tensors import TENSORS

__all__ = ["EXECUTED", "Case", "mangled_measures"]

Spoil = Callable[[random.Random, Path], Path]


@dataclass(frozen=True)
class Case:
    """Arguments of ``tradeoff``; files lie in ``folder``, where an ``executed`` tells of code that was run."""

    name: str
    folder: Path
    arguments: tuple[str, ...]


def mangled_measures(seed: int, count: int, folder: Path) -> Iterator[Case]:
    """``count`` cases of ``seed``, every way in turn; the files of one are gone once the next is asked for."""
    rng = random.Random(seed)
    ways: list[tuple[str, Spoil]] = [
        *((f"array: {name}", way) for name, way in ARRAYS.items()),
        *((f"archive: {name}", way) for name, way in ARCHIVES.items()),
        *((f"tensor: {name}", way) for name, way in TENSORS.items()),
        *((f"folder: {name}", way) for name, way in FOLDERS.items()),
        *((f"path: {name}", way) for name, way in PATHS.items()),
    ]
    drawn: list[tuple[str, Spoil | None]] = []
    while len(drawn) < count:
        options = [*(f"option: {name}" for name in OPTIONS), *(f"network: {name}" for name in NETWORKS)]
        turn: list[tuple[str, Spoil | None]] = [*ways, *((name, None) for name in options)]
        rng.shuffle(turn)
        drawn += turn
    for number, (name, way) in enumerate(drawn[:count]):
        place = folder / f"case{number}"
        place.mkdir()
        yield Case(name, place, tuple(_arguments(rng, name, way, place)))
        shutil.rmtree(place)


def _arguments(rng: random.Random, name: str, way: Spoil | None, place: Path) -> list[str]:
    if name.startswith("network: "):
        folder = str(_good_folder(place))
        return ["measure", folder, folder, *NETWORKS[name.removeprefix("network: ")](rng, place)]
    if way is None:
        good = str(_good_array(rng, place))
        return ["measure", good, good, *OPTIONS[name.removeprefix("option: ")](rng, place)]
    bad = way(rng, place)
    images = name.startswith("folder: ") or "image" in name
    good = _good_folder(place) if images else _good_array(rng, place)
    pair = [bad, good] if rng.random() < 0.5 else [good, bad]
    asked = ["--metrics", rng.choice(["precision", "recall,fid", "kid"])]
    return ["measure", *map(str, pair), "--json", *asked, *(["--features", "identity"] if images else [])]


def _good_array(rng: random.Random, place: Path) -> Path:
    values = np.random.default_rng(rng.randrange(100)).normal(size=(24, 3)).astype(np.float32)
    np.savez(place / "good.npz", features=values, labels=np.arange(24) % 3)
    return place / "good.npz"


def _good_folder(place: Path) -> Path:
    (place / "good").mkdir()
    for i in range(20):
        Image.new("L", (6, 5), 9 * i).save(place / "good" / f"{i}.png")
    return place / "good"
