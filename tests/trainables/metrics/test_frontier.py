"""Frontiers of samples: closed forms of Gaussians, equal and disjoint sets, classifiers that see little, intervals."""

from __future__ import annotations

import pytest
import torch

from trainables.metrics.classifier import Classifier
from trainables.metrics.frontier import DivergenceFrontier, summaries
from trainables.metrics.pair import Pair
from trainables.precision_recall import frontier_gaussian, renyi_gaussian

KEYS = ["frontier.inclusive", "frontier.exclusive", "frontier.fake_to_real", "frontier.real_to_fake"]


def gaussians(n: int, shift: float = 0.0, scale: float = 1.0, d: int = 2, seed: int = 0) -> Pair:
    real, fake = torch.randn(2, n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    fake *= scale
    fake[:, 0] += shift
    return Pair(real, fake)


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_ends_are_renyi_divergences_of_gaussians_that_a_line_parts(order: float) -> None:
    """N(0, I) and N(e₁, I): D_α = α/2. A mean of log p/q over 10,000 held-out samples errs by 0.01, bins add as much.

    At α = 2 it is a mean of p/q, of deviation 3.6 about 2.7, and rests on the outermost bin, whose ratio is overstated.
    """
    zero, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    exact = float(renyi_gaussian(zero, one, one, one, order))
    values = DivergenceFrontier(order=order).measure(gaussians(20_000, 1.0)).values
    for key in KEYS[2:]:
        assert values[key] == pytest.approx(exact, abs=0.05 if order <= 1 else 0.2)


def test_the_curve_is_the_closed_form_of_gaussians() -> None:
    """The exclusive one of order 1; with the noise of 10,000 samples, as above."""
    found = DivergenceFrontier().measure(gaussians(20_000, 1.0)).frontiers["frontier.exclusive"]
    exact = frontier_gaussian([0.0], [[1.0]], [1.0], [[1.0]], "exclusive", found.tilt)
    assert abs(found.to_model - exact.to_model).max() < 0.05
    assert abs(found.to_real - exact.to_real).max() < 0.05
    assert found.area() == pytest.approx(exact.area(), abs=0.01)


def test_equal_sets_have_everything_and_disjoint_ones_mixtures() -> None:
    pair = gaussians(400)
    same = DivergenceFrontier().measure(Pair(pair.real, pair.real)).values
    assert [same[key] for key in KEYS] == pytest.approx([1, 1, 0, 0], abs=0.03)
    apart = DivergenceFrontier().measure(gaussians(400, 30.0)).values
    assert 0.5 <= apart["frontier.inclusive"] < 0.52
    assert 0 <= apart["frontier.exclusive"] < 0.05
    assert min(apart[key] for key in KEYS[2:]) > 4  # no more than log(2·200 + 1) = 6 can be seen


def test_what_a_classifier_does_not_see_is_not_in_its_frontier() -> None:
    """N(0, I) and N(0, 9I) have one mean: a line tells them apart by nothing, nearest neighbours by most."""
    pair = gaussians(1500, scale=3.0)
    line, near = (DivergenceFrontier(learner=name).measure(pair).values for name in ("logistic", "knn"))
    assert line["frontier.exclusive"] > 0.9 > 0.75 > near["frontier.exclusive"]
    assert line["frontier.fake_to_real"] < 0.4 * near["frontier.fake_to_real"]


def test_wide_fakes_are_far_from_the_real_ones_and_narrow_ones_far_from_covering_them() -> None:
    """KL of N(0, 9I) from N(0, I) is 2·(4 - log 3) = 5.8, the other way 2·(log 3 - 4/9) = 1.3."""
    wide = DivergenceFrontier(learner="knn").measure(gaussians(1500, scale=3.0)).values
    narrow = DivergenceFrontier(learner="knn").measure(gaussians(1500, scale=1 / 3)).values
    assert wide["frontier.fake_to_real"] > wide["frontier.real_to_fake"]
    assert narrow["frontier.fake_to_real"] < narrow["frontier.real_to_fake"]


def test_it_is_made_of_the_very_classifier_of_the_curve() -> None:
    stages: list[str] = []
    pair = gaussians(100, 0.5)
    pair.draws, pair.stage = 1, stages.append
    Classifier().measure(pair)
    trained = len(stages)
    found = DivergenceFrontier().measure(pair)
    assert len(stages) == trained > 0
    alone = gaussians(100, 0.5)
    alone.draws = 1
    assert dict(DivergenceFrontier().measure(alone).intervals) == dict(found.intervals)


def test_intervals_hold_the_value_and_stay_in_range() -> None:
    pair = gaussians(200, 0.7)
    pair.draws = 1
    scores = DivergenceFrontier().measure(pair)
    assert list(scores.intervals) == KEYS
    for key, (low, high) in scores.intervals.items():
        assert low < scores.values[key] < high
    assert scores.intervals["frontier.inclusive"][0] >= 0.5
    assert scores.kinds["frontier.inclusive"] == "Wilson, design effect"
    assert scores.kinds["frontier.real_to_fake"] == "score, design effect"


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        (gaussians(31, 0.5), "its interval needs 32 samples on both sides"),
        (gaussians(200, 6.0), "of the held-out samples are taken for the other kind"),
    ],
)
def test_an_interval_is_withheld_where_that_of_the_curve_is(pair: Pair, why: str) -> None:
    pair.draws = 1
    scores = DivergenceFrontier().measure(pair)
    assert not scores.intervals
    assert list(scores.withheld) == KEYS
    assert all(why in sentence for sentence in scores.withheld.values())
    assert list(scores.frontiers) == KEYS[:2]


def test_summaries_are_areas_and_the_ends_of_the_inclusive_frontier() -> None:
    found = DivergenceFrontier().measure(gaussians(300, 1.0)).frontiers
    values = summaries(found)
    assert values["frontier.exclusive"] == found["frontier.exclusive"].area()
    # The exclusive one has them at the other ends: D(R‖P) at R = Q, and D(R‖Q) at R = P.
    assert values["frontier.fake_to_real"] == pytest.approx(found["frontier.exclusive"].to_real[-1], abs=1e-5)
    assert values["frontier.real_to_fake"] == pytest.approx(found["frontier.exclusive"].to_model[0], abs=1e-5)


@pytest.mark.parametrize("order", [0.0, -1.0, float("inf")])
def test_an_order_is_a_positive_number(order: float) -> None:
    with pytest.raises(ValueError, match="order of metric frontier must be positive and finite"):
        DivergenceFrontier(order=order)


def test_an_unknown_learner_is_told() -> None:
    with pytest.raises(ValueError, match="learner of metric frontier must be one of ensemble, logistic"):
        DivergenceFrontier(learner="svm")  # type: ignore[arg-type]
