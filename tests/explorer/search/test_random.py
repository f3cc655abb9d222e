"""Draws depend on the seed alone: with more of them, the first stay as they were."""

from __future__ import annotations

from explorer.search.random import Random
from tests.explorer.search.spaces import wide


def drawn(count: int, seed: int = 0) -> list[object]:
    return [one.point for one in Random(trials=count, seed=seed).source(wide(), count, None).ask(1000)]


def test_more_draws_keep_the_earlier_ones() -> None:
    assert drawn(20)[:5] == drawn(5)


def test_other_seeds_draw_other_points() -> None:
    assert drawn(5, seed=0) != drawn(5, seed=1)


def test_it_does_not_learn() -> None:
    assert not Random.learns
    assert Random.endless
