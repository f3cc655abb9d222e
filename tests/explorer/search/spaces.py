"""A space with every kind of axis, and what it means to lie in it."""

from __future__ import annotations

from explorer.sweep.space import Point, Space, parse_space

__all__ = ["assert_inside", "space"]


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
