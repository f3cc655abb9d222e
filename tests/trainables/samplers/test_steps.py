"""Images pass through networks a few at a time, points a block at a time; parts cover all."""

from __future__ import annotations

import pytest

from trainables.samplers.steps import BLOCK, IMAGES, LEAST, block_of, parts, step_of


def test_the_larger_samples_are_the_fewer_pass_at_a_time() -> None:
    assert step_of((3, 256, 256)) == LEAST
    assert step_of((1, 8, 8)) == IMAGES
    assert step_of((2,)) == BLOCK


def test_a_block_of_large_samples_is_smaller() -> None:
    assert [block_of(shape) for shape in ((2,), (3, 128, 128), (3, 256, 256))] == [BLOCK, BLOCK, 1365]
    assert block_of((1 << 30,)) == 1
    assert all(step_of(shape) <= block_of(shape) for shape in ((1,), (3, 64, 64), (3, 1024, 1024)))


@pytest.mark.parametrize(("count", "step"), [(10, 3), (9, 3), (2, 5), (1, 1)])
def test_parts_cover_every_place_once_in_order(count: int, step: int) -> None:
    places = list(range(count))
    found = [places[part] for part in parts(count, step)]
    assert [place for part in found for place in part] == places
    assert max(map(len, found)) <= step


def test_of_nothing_there_is_one_empty_part() -> None:
    assert [[][part] for part in parts(0, 4)] == [[]]
