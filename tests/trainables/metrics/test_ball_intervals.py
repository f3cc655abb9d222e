"""Intervals of means over samples: what they are made of, and where they are withheld."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.measures.groups import design_effect
from trainables.measures.intervals import quantile, wilson
from trainables.metrics.ball_intervals import FEWEST, GROWTH, GROWTH_OF_UNIONS, holding
from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pair import Pair
from trainables.metrics.pr_cover import PRCover

GENERATOR = torch.Generator().manual_seed(0)
X, Y = torch.randn(150, 3, generator=GENERATOR), 0.8 * torch.randn(120, 3, generator=GENERATOR)


def test_balls_that_hold_as_much_count_as_one_each() -> None:
    assert holding(torch.tensor([2, 2, 0, 2])) == 3.0
    assert holding(torch.tensor([100, 1, 1])) == pytest.approx(102**2 / 10002)
    assert holding(torch.zeros(4, dtype=torch.int64)) == 0.0


@pytest.mark.parametrize(("key", "growth"), [("recall", GROWTH_OF_UNIONS), ("coverage", GROWTH)])
def test_a_share_has_wilsons_interval_of_the_samples_it_is_worth(key: str, growth: float) -> None:
    pair = Pair(X, Y, k=3, draws=1)
    scores = Neighbours().measure(pair)
    groups = [[counts.per_sample()[key] for counts in row] for row in pair.group_balls(3)]
    means = np.array([[float(one.mean()) for one in row] for row in groups])
    plain = np.array([[float(one.var()) / len(one) for one in row] for row in groups])
    effect = design_effect(means, plain, least=1e-9)
    expected = wilson(scores.values[key], 150 / effect.of_all(3, growth), quantile(0.95, effect.freedom))
    assert scores.intervals[key] == pytest.approx(expected)
    assert scores.kinds[key] == "Wilson, design effect"
    assert scores.kinds["density"] == "score, design effect"


def test_what_rests_on_few_balls_is_withheld() -> None:
    """Far apart, but for one stray real whose ball is so large that it holds all generated samples."""
    real = torch.cat((X, torch.tensor([[50.0, 0.0, 0.0]])))
    scores = Neighbours().measure(Pair(real, Y + torch.tensor([45.0, 0.0, 0.0]), k=3, draws=1))
    assert scores.values["precision"] == 1.0
    assert set(scores.intervals) == {"recall", "coverage"}
    assert set(scores.withheld) == {"precision", "density"}
    assert scores.withheld["precision"].startswith("it rests on about 1 balls, and fewer than")
    assert str(FEWEST) in scores.withheld["precision"]


def test_nothing_in_any_ball_is_a_zero_with_an_interval() -> None:
    scores = Neighbours().measure(Pair(X, Y + 1e4, k=3, draws=1))
    assert set(scores.values.values()) == {0.0}
    for key, (low, high) in scores.intervals.items():
        assert low == 0.0
        assert 0.0 < high < 0.05, key
    assert not scores.withheld


def test_groups_without_so_many_neighbours_are_told() -> None:
    pair = Pair(X[:40], Y[:40], k=5, orders=(5, 15), draws=1)
    assert not pair.group_balls(15)
    assert len(pair.group_balls(5)) == 10
    withheld = PRCover().measure(pair).withheld
    assert withheld["pr_cover.recall"] == (
        "its interval needs more than 15 samples in a third of either set; use more samples"
    )
    assert set(Neighbours().measure(pair).intervals) >= {"coverage"}
