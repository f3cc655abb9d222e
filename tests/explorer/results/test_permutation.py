"""Labels change places within strata only, every order alike; p-values count the order that was observed."""

from __future__ import annotations

from itertools import permutations as orders

import numpy as np
import pytest

from explorer.results import permutation
from explorer.results.permutation import DRAWS, FEWEST, permutations, upper_share


def _drawn(strata: list[int], draws: int) -> np.ndarray:
    return np.concatenate(list(permutations(np.array(strata), draws)))


def test_items_stay_in_their_stratum() -> None:
    strata = [5, 3, 5, 3, 3, 7]
    rows = _drawn(strata, 200)
    assert rows.shape == (200, 6)
    assert (np.sort(rows, axis=1) == np.arange(6)).all()
    assert (np.array(strata)[rows] == np.array(strata)).all()
    assert len({tuple(row) for row in rows}) == 12  # 3! · 2! · 1!


def test_every_order_is_as_likely_as_the_others() -> None:
    rows = _drawn([0, 0, 0], 6000)
    counts = {order: sum(tuple(row) == order for row in rows) for order in orders(range(3))}
    assert min(counts.values()) > 850
    assert sum(counts.values()) == 6000


def test_blocks_are_bounded_and_give_as_many_as_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permutation, "_NUMBERS", 40)
    parts = list(permutations(np.zeros(10, dtype=np.int64), 9))
    assert [len(part) for part in parts] == [4, 4, 1]


def test_the_observed_order_is_one_of_those_drawn() -> None:
    assert upper_share(1.0, np.zeros(999)) == pytest.approx(0.001)
    assert upper_share(0.0, np.zeros(999)) == 1.0
    assert upper_share(0.5, np.array([0.1, 0.5, 0.5 - 1e-15, 0.9])) == pytest.approx(4 / 5)


@pytest.mark.parametrize(("items", "draws"), [(1, DRAWS), (500, DRAWS), (1000, 524), (10_000, FEWEST)])
def test_many_items_are_permuted_less_often(items: int, draws: int) -> None:
    assert sum(len(part) for part in permutations(np.zeros(items, dtype=np.int64))) == draws
