"""Isotonic calibration against its definition, against scikit-learn, and where little or nothing is known."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from tests.trainables.rejection.calibrations.test_calibration import gaussians
from trainables.rejection.calibrations import Isotonic
from trainables.rejection.calibrations.isotonic import _blocks

FEW = st.lists(st.integers(-6, 6), min_size=1, max_size=10)
SOME = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=200)


def blocks(real: list[float], fake: list[float]) -> tuple[list[float], list[float]]:
    """Centres and log ratios before they are normalised."""
    scores = np.array([*real, *fake], dtype=float)
    order = np.argsort(scores, kind="stable")
    places, values = _blocks(scores[order], order < len(real))
    return places.tolist(), values.tolist()


def by_definition(real: list[float], fake: list[float]) -> dict[float, Fraction]:
    """Score → share of real points: max over starts of the min over ends of the mean, in exact numbers."""
    n, m = len(real) + 1, len(fake) + 1
    scores = sorted({*real, *fake})
    weights = [(Fraction(1, n), Fraction(0))]
    weights += [(Fraction(real.count(s), n), Fraction(fake.count(s), m)) for s in scores]
    weights += [(Fraction(0), Fraction(1, m))]

    def mean(start: int, end: int) -> Fraction:
        part = weights[start : end + 1]
        ones = sum((one for one, _ in part), Fraction(0))
        return ones / (ones + sum((zero for _, zero in part), Fraction(0)))

    places = range(len(weights))
    fit = [max(min(mean(a, b) for b in places[i:]) for a in places[: i + 1]) for i in places]
    return dict(zip(scores, fit[1:-1], strict=True))


@given(FEW, FEW)
def test_blocks_are_those_of_the_min_max_formula(real: list[float], fake: list[float]) -> None:
    expected = by_definition(real, fake)
    places, values = blocks(real, fake)
    for place, value in zip(places, values, strict=True):
        share = expected[place]
        assert value == pytest.approx(math.log(share) - math.log(1 - share), abs=1e-9)
    # Every level of the definition has its block, up to neighbours that rounding kept apart.
    assert {round(v, 9) for v in values} == {
        round(math.log(s) - math.log(1 - s), 9) for s in expected.values()
    }


@given(SOME, SOME)
def test_values_are_those_of_scikit_learn(real: list[float], fake: list[float]) -> None:
    scores = np.array([*real, *fake])
    ends = scores.min() - 1, scores.max() + 1
    n, m = len(real) + 1, len(fake) + 1
    model = IsotonicRegression().fit(
        np.array([ends[0], *scores, ends[1]]),
        np.array([1.0, *[1.0] * len(real), *[0.0] * len(fake), 0.0]),
        sample_weight=np.array([1 / n, *[1 / n] * len(real), *[1 / m] * len(fake), 1 / m]),
    )
    places, values = blocks(real, fake)
    # scikit-learn holds scores for equal that differ by rounding alone, as of denormal numbers.
    if np.diff(np.unique(scores)).min(initial=1.0) < 1e-6:
        return
    share = model.predict(np.array(places))
    np.testing.assert_allclose(values, np.log(share) - np.log1p(-share), atol=1e-7)


@given(SOME, SOME)
def test_centres_are_scores_and_both_rise_inside_the_bounds(real: list[float], fake: list[float]) -> None:
    places, values = blocks(real, fake)
    assert places == sorted(set(places))
    assert values == sorted(values)
    assert -math.log(len(real) + 1) - 1e-9 <= values[0]
    assert values[-1] <= math.log(len(fake) + 1) + 1e-9
    assert set(places) <= {*real, *fake}


@given(SOME, SOME, st.sampled_from([np.cbrt, np.arctan, lambda s: s**3 + s]))
def test_a_rising_transform_of_the_score_moves_the_centres_and_nothing_else(real, fake, transform) -> None:  # type: ignore[no-untyped-def]
    scores = np.unique(np.array([*real, *fake]))
    if len(np.unique(transform(scores))) < len(scores):
        return  # it rises no more in floats
    before = blocks(real, fake)
    after = blocks(transform(np.array(real)).tolist(), transform(np.array(fake)).tolist())
    assert after[1] == before[1]
    assert after[0] == transform(np.array(before[0])).tolist()


@given(SOME, SOME, st.floats(0.01, 100), st.floats(-100, 100))
def test_log_ratios_do_not_depend_on_scale_and_offset_of_the_score(
    real: list[float], fake: list[float], scale: float, offset: float
) -> None:
    a, b = torch.tensor([real], dtype=torch.float64), torch.tensor([fake], dtype=torch.float64)
    moved = [(scale * s + offset) for s in (a, b)]
    every = torch.cat((a, b), dim=1)
    if (
        len(every.unique()) != len(torch.cat(moved, dim=1).unique())
        or float(every.unique().diff().min() if len(every.unique()) > 1 else 1.0) < 1e-6
    ):
        return
    one, two = Isotonic.fit(a, b), Isotonic.fit(*moved)
    torch.testing.assert_close(two.log_ratio(scale * every + offset), one.log_ratio(every), rtol=0, atol=1e-5)


def test_it_is_linear_between_centres_and_constant_beyond() -> None:
    found = Isotonic.read({"places": [[0.0, 1.0, 3.0]], "values": [[-1.0, 0.0, 4.0]]})
    scores = torch.tensor([[-9.0, 0.0, 0.5, 1.0, 2.0, 3.0, 99.0]])
    assert found.log_ratio(scores).tolist() == [[-1.0, -1.0, -0.5, 0.0, 2.0, 4.0, 4.0]]


def test_trials_of_unequal_numbers_of_blocks_stand_side_by_side() -> None:
    real = torch.tensor([[5.0, 5.0, 5.0, 5.0], [1.0, 2.0, 3.0, 4.0]])
    fake = torch.tensor([[5.0, 5.0, 5.0, 5.0], [-1.0, -2.0, -3.0, -4.0]])
    found = Isotonic.fit(real, fake)
    low, high = found.log_ratio(torch.tensor([[-9.0, 9.0], [-9.0, 9.0]])).unbind(dim=1)
    assert low[0] == high[0]
    assert low[1] < high[1]


def test_scores_that_are_all_alike_say_that_the_ratio_is_one() -> None:
    for count_real, count_fake in ((400, 50), (3, 3), (1, 1)):
        found = Isotonic.fit(torch.full((1, count_real), 7.0), torch.full((1, count_fake), 7.0))
        assert found.log_ratio(torch.tensor([[-1.0, 7.0, 99.0]])).tolist() == [
            pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
        ]


@pytest.mark.parametrize("better", [True, False])
def test_a_point_of_each_kind_says_nothing(better: bool) -> None:
    found = Isotonic.fit(torch.tensor([[1.0 if better else -1.0]]), torch.tensor([[0.0]]))
    assert float(found.log_ratio(torch.tensor([[5.0]]))) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("count_real", "count_fake"), [(50, 50), (10, 200), (200, 10)])
def test_separated_classes_have_the_ratios_of_one_more_point_on_the_wrong_side(
    count_real: int, count_fake: int
) -> None:
    places, values = blocks([1.0 + i for i in range(count_real)], [-1.0 - i for i in range(count_fake)])
    n, m = count_real + 1, count_fake + 1
    assert values == pytest.approx([math.log(m / n / count_fake), math.log(m * count_real / n)])
    assert places[0] < 0 < places[1]


def test_an_order_turned_round_makes_all_ratios_one() -> None:
    real, fake = gaussians()
    found = Isotonic.fit(-real, -fake)
    assert float(found.log_ratio(-fake).abs().max()) < 0.05


def test_a_bent_scale_is_straightened() -> None:
    """What Platt scaling cannot do: a cubic of the exact log ratio, and a saturated one."""
    real, fake = gaussians(1.5, 10_000)
    for bend in (lambda s: s**3 / 9 + 0.2 * s, lambda s: torch.tanh(s / 2)):
        found = Isotonic.fit(bend(real), bend(fake)).log_ratio(bend(fake))
        assert float((found - fake).abs().mean()) < 0.2


def test_endless_scores_are_the_outermost_points() -> None:
    real, fake = torch.tensor([[0.0, 1.0, math.inf, math.inf]]), torch.tensor([[0.5, -math.inf, -math.inf]])
    finite = Isotonic.fit(torch.tensor([[0.0, 1.0, 9.0, 9.0]]), torch.tensor([[0.5, -9.0, -9.0]]))
    found = Isotonic.fit(real, fake)
    torch.testing.assert_close(
        found.log_ratio(torch.tensor([[-math.inf, math.inf]])), finite.log_ratio(torch.tensor([[-9.0, 9.0]]))
    )


def test_maps_that_fall_or_have_no_places_are_refused() -> None:
    with pytest.raises(ValueError, match="values of calibration 'isotonic' must rise"):
        Isotonic.read({"places": [[0.0, 1.0]], "values": [[1.0, 0.0]]})
    with pytest.raises(ValueError, match="places of calibration 'isotonic' must rise"):
        Isotonic.read({"places": [[1.0, 0.0]], "values": [[0.0, 1.0]]})
    with pytest.raises(ValueError, match=r"got \(1, 2\) and \(1, 1\)"):
        Isotonic.read({"places": [[0.0, 1.0]], "values": [[1.0]]})
    with pytest.raises(ValueError, match=r"got \(1, 0\) and \(1, 0\)"):
        Isotonic.read({"places": [[]], "values": [[]]})
