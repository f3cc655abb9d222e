"""A few out of many have both ends and even steps."""

from __future__ import annotations

from itertools import pairwise

import pytest

from explorer.figures.thinning import MOST_DRAWN, evenly


@pytest.mark.parametrize(("count", "most"), [(10, 2), (10, 9), (11, 10), (200_001, MOST_DRAWN)])
def test_ends_are_kept_and_steps_are_even(count: int, most: int) -> None:
    found = evenly(range(count), most)
    assert (found[0], found[-1], len(found)) == (0, count - 1, most)
    steps = {b - a for a, b in pairwise(found)}
    assert max(steps) - min(steps) <= 1


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_stay_as_they_are(count: int) -> None:
    assert evenly(range(count), 5) == range(count)
