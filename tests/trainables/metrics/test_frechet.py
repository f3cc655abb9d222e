"""The Fréchet distance of shifted and scaled sets is in closed form."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interval_coverage import LAWS
from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics
from trainables.measures.groups import cuts
from trainables.measures.intervals import quantile
from trainables.metrics.frechet import Frechet, by_samples
from trainables.metrics.metric import CUSTOMARY
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs

X = torch.randn(300, 3, generator=torch.Generator().manual_seed(0)).double()


@settings(max_examples=15)
@given(shift=st.floats(-3, 3), scale=st.floats(0.3, 3))
def test_a_shift_and_a_scale(shift: float, scale: float) -> None:
    # ‖μ - ν‖² + (1 - s)² tr Σ for commuting covariances Σ, s²Σ.
    mean, trace = X.mean(0), float(X.T.cov().trace())
    expected = float((mean - (scale * mean + shift)).square().sum()) + (1 - scale) ** 2 * trace
    found = Frechet().measure(Pair(X, scale * X + shift)).values["fid"]
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_the_real_side_is_computed_once() -> None:
    asked: list[str] = []

    def remember(part: str, compute):  # type: ignore[no-untyped-def]
        asked.append(part)
        return compute()

    Frechet().measure(Pair(X, X + 1, remember=remember))
    assert asked == ["gaussian"]


def _refuse(part: str, compute):  # type: ignore[no-untyped-def]
    raise AssertionError(f"{part} should not be asked for")


@pytest.mark.parametrize("m", [6, 60])
def test_few_samples_need_no_covariance(m: int) -> None:
    """A hundred thousand dimensions: a covariance would take 80 GB."""
    generator = torch.Generator().manual_seed(1)
    real, fake = (torch.randn(n, 100_000, generator=generator) for n in (5, m))
    scores = Frechet().measure(Pair(real, fake + 0.01, draws=50, remember=_refuse))
    # ‖μ - ν‖² + tr Σ + tr Γ - 2‖K‖_*: no two samples of so many dimensions share a direction.
    expected = 100_000 * (0.01**2 + 2 + 1 / 5 + 1 / m)
    assert "more samples than dimensions" in scores.withheld["fid"]
    assert scores.values["fid"] == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("n", "m"), [(7, 9), (60, 9), (60, 50)])
def test_packs_are_measured_as_single_pairs_are(n: int, m: int) -> None:
    generator = torch.Generator().manual_seed(2)
    real, fake = torch.randn(n, 80, generator=generator), torch.randn(3, m, 80, generator=generator)
    one = Pair(real, fake[0])
    together = [scores.values["fid"] for scores in Frechet().measure_all(Pairs(one, fake, fake))]
    alone = [Frechet().measure(Pair(real, each)).values["fid"] for each in fake]
    assert together == pytest.approx(alone, rel=1e-9)


def test_both_ways_meet_where_they_change() -> None:
    assert by_samples(10, 1000, 20)
    assert not by_samples(11, 1000, 21)
    generator = torch.Generator().manual_seed(3)
    real, fake = (torch.randn(10, 21, generator=generator).double() for _ in range(2))
    narrow = Frechet().measure(Pair(real[:, :19], fake[:, :19])).values["fid"]
    padded = torch.zeros(10, 2).double()
    wide = (
        Frechet()
        .measure(Pair(torch.cat([real[:, :19], padded], 1), torch.cat([fake[:, :19], padded], 1)))
        .values["fid"]
    )
    assert wide == pytest.approx(narrow, rel=1e-6)


def test_its_interval_takes_the_bias_off() -> None:
    """Equal Gaussians: the distance is far above zero, what it tends to is not."""
    generator = torch.Generator().manual_seed(1)
    x, y = torch.randn(2, 200, 20, generator=generator)
    scores = Frechet().measure(Pair(x, y, draws=1))
    low, high = scores.intervals["fid"]
    assert low == 0.0
    assert high < 0.5 * scores.values["fid"]
    assert scores.kinds["fid"] == "bias-corrected, influence"


def test_at_the_customary_size_the_interval_holds_the_value() -> None:
    generator = torch.Generator().manual_seed(2)
    x, y = torch.randn(10_000, 30, generator=generator), torch.randn(10_000, 30, generator=generator)
    scores = Frechet().measure(Pair(x, y, draws=1))
    low, high = scores.intervals["fid"]
    assert low == 0.0 < scores.values["fid"] < high


def test_halves_with_fewer_samples_than_dimensions_have_no_interval() -> None:
    scores = Frechet().measure(Pair(X[:7], X[7:20], draws=1))
    assert not scores.intervals
    assert scores.withheld["fid"].startswith("halves of the sets must have more samples than dimensions (3)")
    assert set(Frechet().measure(Pair(X[:8], X[7:20], draws=1)).intervals) == {"fid"}


def test_where_most_is_bias_the_error_is_that_of_the_corrected_distance() -> None:
    """Heavy tails: leaving out every sample once shows how 2v - mean(halves) varies; v alone varies more."""
    n, law = 200, LAWS["heavy"](np.random.default_rng([1, 3]), 200, 200, 30)
    sets = [torch.from_numpy(side) for side in law]
    pair = Pair(*sets, draws=1)
    halves = list(chain.from_iterable(cuts(n, n, 2, 1, pair.rng("fid"))))

    def distance(*rows: np.ndarray) -> float:
        real, fake = (gaussian_statistics(side[index]) for side, index in zip(sets, rows, strict=True))
        return frechet_distance(*real, *fake)

    def corrected(side: int, gone: int) -> float:
        def left(rows: tuple[np.ndarray, ...]) -> list[np.ndarray]:
            return [index[index != gone] if at == side else index for at, index in enumerate(rows)]

        everything = np.arange(n), np.arange(n)
        return 2 * distance(*left(everything)) - sum(distance(*left(half)) for half in halves) / 2

    without = np.array([[corrected(side, gone) for gone in range(n)] for side in (0, 1)])
    jackknife = ((n - 1) * without.var(axis=1).sum()) ** 0.5
    whole = [gaussian_statistics(side) for side in sets]
    plain = [frechet_influence(side, whole[at], whole[1 - at]) for at, side in enumerate(sets)]
    of_distance = sum(float(each.var()) / n for each in plain) ** 0.5
    value = frechet_distance(*whole[0], *whole[1])
    bias = sum(distance(*half) for half in halves) / 2 - value
    assert bias > value / 2
    high = Frechet().measure(pair).intervals["fid"][1]
    error = (high - (value - bias * (1 - n / CUSTOMARY))) / quantile(0.95)
    assert error == pytest.approx(jackknife, rel=0.1)
    assert error < 0.9 * of_distance
