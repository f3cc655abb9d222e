"""The PRD curve of clusters that can be counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from trainables.measures.intervals import quantile
from trainables.metrics.pair import Pair
from trainables.metrics.prd import ROUNDS, Prd, curve_entries


def test_sets_that_share_half_of_their_clusters() -> None:
    # P = (½, ½, 0), Q = (½, 0, ½): α_λ = min(λ/2, 1/2), so at λ = 1 precision and recall are ½.
    places = torch.tensor([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]])
    jitter = 0.01 * torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    real = places[[0, 1]].repeat_interleave(100, 0) + jitter
    fake = places[[0, 2]].repeat_interleave(100, 0) + jitter
    scores = Prd(clusters=3, runs=3).measure(Pair(real, fake))
    assert scores.values["prd.f8"] == pytest.approx(0.5, abs=0.01)
    assert scores.values["prd.f1_8"] == pytest.approx(0.5, abs=0.01)
    assert scores.values["prd.auc"] == pytest.approx(0.25, abs=0.02)
    assert list(scores.curves) == ["prd"]


def test_titles() -> None:
    assert [entry.key for entry in curve_entries("mine", "x")] == ["mine.f8", "mine.f1_8", "mine.auc"]
    assert [entry.title for entry in curve_entries("prd", "x")] == ["PRD F8", "PRD F1/8", "PRD area"]
    assert curve_entries("mine", "x")[0].title == "Mine F8"


@pytest.mark.parametrize("field", ["clusters", "runs"])
def test_refusals(field: str) -> None:
    with pytest.raises(ValueError, match=f"^{field} of metric prd must be positive and finite, got 0$"):
        Prd(**{field: 0})


def test_its_interval_needs_a_sample_for_every_cluster_on_both_sides() -> None:
    x = torch.randn(30, 2, generator=torch.Generator().manual_seed(6))
    scores = Prd(runs=2).measure(Pair(x[:11], x[11:], draws=10))
    assert not scores.intervals
    assert scores.withheld["prd.f8"] == "its interval needs 20 samples on both sides; use more samples"
    assert list(scores.curves) == ["prd"]


def test_its_interval_leans_up_for_equal_laws() -> None:
    generator = torch.Generator().manual_seed(4)
    x, y = torch.randn(2, 300, 4, generator=generator)
    scores = Prd(runs=3).measure(Pair(x, y, draws=100))
    low, high = scores.intervals["prd.auc"]
    assert high > 0.99
    assert high - scores.values["prd.auc"] > 2 * (scores.values["prd.auc"] - low)
    assert scores.kinds["prd.auc"] == "bias-corrected, halves"


def test_its_interval_is_as_wide_as_fresh_sets_vary() -> None:
    """On the scale of angles, where laws differ and the bias is small."""

    def angles(seed: int, draws: int) -> list[float]:
        x, y = torch.randn(2, 300, 2, generator=torch.Generator().manual_seed(seed)).double()
        scores = Prd(clusters=8, runs=4).measure(Pair(x, 0.6 * y + 1.5, seed=seed, draws=draws))
        numbers = scores.values["prd.auc"], *scores.intervals.get("prd.auc", ())
        return [math.asin(math.sqrt(number)) for number in numbers]

    spread = np.std([angles(seed, 0)[0] for seed in range(150)])
    value, low, high = np.array([angles(seed, 1) for seed in range(200, 220)]).T
    error = (high - low).mean() / 2 / quantile(0.95, ROUNDS)
    assert 0.85 < error / spread < 1.35
    assert 0 < ((low + high) / 2 - value).mean() < spread


@pytest.mark.parametrize(("shift", "edge"), [(0.0, 1.0), (1e3, 0.0)])
def test_at_the_edges_it_is_that_of_a_share(shift: float, edge: float) -> None:
    x = torch.randn(100, 2, generator=torch.Generator().manual_seed(5))
    scores = Prd(clusters=4, runs=2).measure(Pair(x, x + shift, draws=100))
    low, high = scores.intervals["prd.f8"]
    assert scores.values["prd.f8"] == pytest.approx(edge, abs=1e-6)
    assert edge in (low, high)
    assert high - low >= 3.8 / 104


def test_clusters_that_hold_little_of_the_variance_have_no_interval() -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 300, 64, generator=generator)
    scores = Prd(runs=2).measure(Pair(x, y, draws=50))
    assert not scores.intervals
    assert set(scores.withheld) == set(scores.values)
    assert (
        "of the variance, and where they lie then changes with the number of samples"
        in scores.withheld["prd.f8"]
    )
    apart = torch.zeros(300, 64)
    apart[150:] = 5.0
    assert set(Prd(runs=2).measure(Pair(x + apart, y + apart, draws=50)).intervals) == set(scores.values)
