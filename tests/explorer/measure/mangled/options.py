"""Paths that are no inputs, and options that are none."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np

__all__ = ["OPTIONS", "PATHS"]


def _fixed(*paths: str) -> Callable[[random.Random, Path], Path]:
    return lambda rng, place: place / rng.choice(paths)


def _link(rng: random.Random, place: Path) -> Path:
    """A link under the name of an array."""
    bad = place / f"bad.{rng.choice(['npy', 'npz', 'pt'])}"
    bad.symlink_to(
        rng.choice(
            [
                "/dev/zero",
                "/dev/null",
                "/dev/stdin",
                "/proc/self/maps",
                "/proc/kmsg",
                bad.name,
                "nowhere",
                "..",
            ]
        )
    )
    return bad


def _pipe(rng: random.Random, place: Path) -> Path:
    bad = place / f"bad.{rng.choice(['npy', 'npz', 'pt', 'png'])}"
    os.mkfifo(bad)
    return bad


def _suffix(rng: random.Random, place: Path) -> Path:
    bad = place / ("bad" + rng.choice(["", ".csv", ".pkl", ".npy.gz", "." + "x" * 200, ".\x1b[31m"]))
    with bad.open("wb") as file:
        np.save(file, np.zeros((24, 3)))
    return bad


PATHS: dict[str, Callable[[random.Random, Path], Path]] = {
    "missing": _fixed(
        "none.npy",
        "none",
        "a/b/c.npz",
        "x" * 300 + ".npy",
        "/".join(["a" * 200] * 30),
        "\x1b[2J\n.npy",
        "good.npz/x.npy",
    ),
    "devices": _fixed("/dev/zero", "/dev/null", "/dev/stdin", "/dev/random", "/proc/self/environ", "/dev"),
    "links": _link,
    "pipes": _pipe,
    "other suffixes": _suffix,
}

OPTIONS: dict[str, Callable[[random.Random, Path], list[str]]] = {
    "k": lambda rng, place: ["--k", rng.choice(["0", "-3", "24", "1000000000", str(10**30)])],
    "metrics": lambda rng, place: [
        "--metrics",
        rng.choice(["", ",", "speed", "x" * 5000, "\x1b[31m", "fid,fidd", "inception_score"]),
    ],
    "device": lambda rng, place: [
        "--device",
        rng.choice(["", "abacus", "cuda:99", "meta", "x" * 5000, "cuda:-1", "cuda:²"]),
    ],
    "features": lambda rng, place: [
        "--features",
        rng.choice(["vgg16", "nonsense", "x" * 5000, "identity=3", "/dev/zero", str(place)]),
    ],
    "seed": lambda rng, place: [
        "--metrics",
        "precision",
        "--seed",
        rng.choice(["-1", str(2**64), str(10**40)]),
    ],
    "page": lambda rng, place: [
        "--html",
        rng.choice([str(place / "no" / "x.html"), str(place), "x" * 300]),
    ],
}
