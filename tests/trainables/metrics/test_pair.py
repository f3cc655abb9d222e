"""What metrics share of a pair is computed once; every number has random numbers of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.measures.classifier_curve import classifier_scores
from trainables.measures.knn.neighbours import ball_counts_of, radii_of
from trainables.metrics.pair import Pair


def sets() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(60, 2, generator=generator), torch.randn(50, 2, generator=generator)


def test_distances_are_computed_once_for_all_orders() -> None:
    stages: list[str] = []
    pair = Pair(*sets(), k=3, orders=(3, 9), stage=stages.append)
    first = pair.balls(3)
    assert pair.balls(3) is first
    pair.balls(9)
    begun = [stage for stage in stages if "%" not in stage]
    assert begun == ["balls of the 60 real samples", "distances of 60 × 50 samples"]
    pair.balls(4)
    assert len([stage for stage in stages if "%" not in stage]) == 4


def test_what_is_long_tells_how_far_it_is() -> None:
    stages: list[str] = []
    far = Pair(*sets(), stage=stages.append).progress("a long way")
    far(0.25)
    far(1.0)
    assert stages == ["a long way", "a long way: 25%", "a long way: 100%"]


@pytest.mark.parametrize("order", [3, 9])
def test_balls_are_those_of_the_order_asked_for(order: int) -> None:
    real, fake = sets()
    expected = ball_counts_of(real, fake, (order,), radii_of(real, (order,)))[0].per_sample()
    found = Pair(real, fake, orders=(3, 9)).balls(order).per_sample()
    for key, values in expected.items():
        torch.testing.assert_close(found[key], values)


def test_the_real_side_is_remembered_by_whoever_keeps_it() -> None:
    kept: dict[str, Mapping[str, Tensor]] = {}
    made: list[str] = []

    def remember(part: str, compute: Callable[[], Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        if part not in kept:
            made.append(part)
            kept[part] = compute()
        return kept[part]

    for _ in range(2):
        Pair(*sets(), orders=(3, 9), remember=remember).balls(9)
    assert made == ["radii-3-9"]


def test_groups_are_thirds_counted_once_for_all_orders() -> None:
    stages: list[str] = []
    pair = Pair(*sets(), k=3, orders=(3, 9), stage=stages.append)
    rounds = pair.group_balls(9)
    assert pair.group_balls(9) is rounds
    assert [counts.k for counts in pair.group_balls(3)[0]] == [3, 3, 3]
    assert len(stages) == len(rounds) == 10
    assert [len(counts.fakes_in_real_ball) for counts in rounds[0]] == [20, 20, 20]
    assert [len(counts.reals_in_fake_ball) for counts in rounds[0]] == [17, 17, 16]


def test_streams_of_random_numbers_are_apart() -> None:
    pair = Pair(*sets())
    assert pair.rng("fid").random() == pair.rng("fid").random()
    assert pair.rng("fid").random() != pair.rng("kid").random()
    assert pair.rng("fid").random() != Pair(*sets(), seed=1).rng("fid").random()


def test_means_and_their_intervals() -> None:
    samples = {"a": torch.tensor([0.0, 1.0, 1.0, 1.0])}
    assert Pair(*sets()).means(samples) == ({"a": 0.75}, {})
    values, intervals = Pair(*sets(), draws=500).means(samples)
    assert values == {"a": 0.75}
    low, high = intervals["a"]
    assert 0.0 <= low < 0.75 < high <= 1.0


def test_an_interval_is_widened_to_hold_the_value() -> None:
    assert Pair(*sets()).interval(5.0, np.array([1.0, 2.0, 3.0])) == (pytest.approx(1.05), 5.0)


def test_a_classifier_is_trained_once_for_all_that_is_made_of_it() -> None:
    stages: list[str] = []
    pair = Pair(*sets(), seed=3, stage=stages.append)
    whole, halves = pair.held_out("knn"), pair.group_held_out("knn")
    assert pair.held_out("knn") is whole
    assert pair.group_held_out("knn") is halves
    assert stages == [
        "classifier of real against fake (knn)",
        *(f"classifiers of random groups: round {at} of 6" for at in range(1, 7)),
    ]
    expected = classifier_scores(*sets(), "knn", seed=3)
    assert np.array_equal(whole.real, expected.real)
    assert [[(len(one.real), len(one.fake)) for one in row] for row in halves] == [[(15, 13), (15, 13)]] * 6
    assert pair.held_out("logistic") is not whole
