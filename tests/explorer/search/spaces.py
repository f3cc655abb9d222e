"""A space with every kind of axis, and what it means to lie in it."""

from __future__ import annotations

import math

from explorer.sweep.axes import Condition, Interval, Listed, Point
from explorer.sweep.space import Space
from explorer.sweep.space_section import parse_space

__all__ = ["KeptMemo", "assert_inside", "branched", "scored", "space", "wide"]


def space() -> Space:
    """A union of two boxes: a range, lists of lists, texts and whole numbers; a grid can walk it too."""
    return parse_space(
        [
            {"objective.lam": {"log_range": [0.01, 100], "steps": 5}, "model.generator": [[8, 8], [16]]},
            {"objective.name": ["kl", "gan"], "training.batch_size": {"range": [8, 64], "steps": 3}},
        ],
        WHOLE,
    )


def wide() -> Space:
    """The same without steps, for searches that draw."""
    return parse_space(
        [
            {"objective.lam": {"log_range": [0.01, 100]}, "model.generator": [[8, 8], [16]]},
            {"objective.name": ["kl", "gan"], "training.batch_size": {"range": [8, 64]}},
        ],
        WHOLE,
    )


WHOLE = {
    "objective.lam": False,
    "model.generator": False,
    "objective.name": False,
    "training.batch_size": True,
}


def assert_inside(point: Point) -> None:
    """The point is one of either space."""
    if "objective.lam" in point:
        assert set(point) == {"objective.lam", "model.generator"}
        assert 0.01 * (1 - 1e-9) <= point["objective.lam"] <= 100 * (1 + 1e-9)
        assert point["model.generator"] in ([8, 8], [16])
    else:
        assert set(point) == {"objective.name", "training.batch_size"}
        assert point["objective.name"] in ("kl", "gan")
        assert isinstance(point["training.batch_size"], int)
        assert 8 <= point["training.batch_size"] <= 64


def branched() -> Space:
    """λ only where the objective is pr, a rate everywhere, a width among three."""
    lam = Interval(
        0.01,
        100.0,
        log=True,
        whole=False,
        steps=None,
        when=(Condition("objective.name", frozenset({'"pr"'})),),
    )
    return Space(
        (
            {
                "objective.lam": lam,
                "objective.name": Listed(("pr", "kl")),
                "training.generator_lr": Interval(1e-4, 1e-2, log=True, whole=False, steps=None),
                "training.batch_size": Interval(8.0, 64.0, log=False, whole=True, steps=None),
                "model.latent": Listed((1, 2, 4)),
            },
        )
    )


def scored(point: Point) -> list[dict[str, float]]:
    """What a trial at a point of ``branched`` might measure, two seeds; λ trades precision for recall."""
    lam = math.log10(point.get("objective.lam", 1.0)) / 2
    off = abs(math.log10(point["training.generator_lr"]) + 3) + 0.1 * (point["model.latent"] != 2)
    off += abs(point["training.batch_size"] - 32) / 100
    return [
        {
            "precision": 0.5 + 0.4 * lam - 0.2 * off + wobble,
            "recall": 0.5 - 0.4 * lam - 0.2 * off,
            "fid": 1 + off,
        }
        for wobble in (0.0, 0.01)
    ]


class KeptMemo:
    """A memo in memory."""

    def __init__(self, text: str | None = None) -> None:
        self.text = text
        self.saved = 0

    def load(self) -> str | None:
        return self.text

    def save(self, text: str) -> None:
        self.text = text
        self.saved += 1

    def set_aside(self) -> str:
        self.text = None
        return "aside"
