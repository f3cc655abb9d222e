"""Curves by neighbours against the truth: mixtures whose modes have shrunk, grown or are missing."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.datasets.gaussians8 import Gaussians8
from trainables.precision_recall import geometric_grid
from trainables.precision_recall.neighbours import NeighbourCurve, curve_from_neighbours
from trainables.sources.mixture import GaussianMixture

GRID = geometric_grid(2, 20)  # λ from 0.01 to 100
CASES = {
    "the law itself": (1.0, 8),
    "a hundredth of σ": (0.01, 8),
    "a tenth of σ": (0.1, 8),
    "three tenths of σ": (0.3, 8),
    "half of σ": (0.5, 8),
    "half of the modes, a bit narrow": (0.8, 4),
    "twice σ": (2.0, 8),
    "one mode": (1.0, 1),
}


def _law() -> GaussianMixture:
    law = Gaussians8().source().law
    assert isinstance(law, GaussianMixture)
    return law


def _draw(shrunk: float, modes: int, count: int, seed: int) -> Tensor:
    """Samples of the law's first modes, each ``shrunk`` times as wide."""
    law, generator = _law(), torch.Generator().manual_seed(seed)
    which = torch.randint(modes, (count,), generator=generator)
    noise = torch.randn(count, 2, generator=generator, dtype=torch.float64)
    return law.means.double()[which] + shrunk * law.sigma * noise


def _truth(shrunk: float, modes: int) -> np.ndarray:
    """α_λ = ∫ min(λp, q), modes being far apart: an integral over the distance from a mode, in units of σ."""
    r = np.geomspace(1e-5, 12 * max(1.0, shrunk), 20_001)
    p = r * np.exp(-(r**2) / 2) / 8
    q = r * np.exp(-((r / shrunk) ** 2) / 2) / shrunk**2 / modes
    return np.array([modes * np.trapezoid(np.minimum(lam * p, q), r) for lam in GRID.numpy()])


@cache
def _found(case: str) -> NeighbourCurve:
    shrunk, modes = CASES[case]
    seed = sum(map(ord, case))
    reference, model = _draw(shrunk, modes, 20_000, seed), _draw(shrunk, modes, 8_000, seed + 1)
    return curve_from_neighbours(_law().log_prob, reference, model, _draw(1.0, 8, 16_000, seed + 2), GRID)


@pytest.mark.parametrize("case", CASES)
def test_shrunk_modes_have_the_curve_they_have(case: str) -> None:
    found, truth = _found(case), _truth(*CASES[case])
    off = found.curve.precision - truth
    middle = (GRID.numpy() >= 0.05) & (GRID.numpy() <= 20)
    assert np.abs(off[middle]).max() <= 0.06
    assert np.sqrt(np.mean(off[middle] ** 2)) <= 0.02
    # Nearly always within the error that is told, never far beyond it.
    assert (np.abs(off) <= found.error + 0.005).mean() >= 0.9
    assert (np.abs(off) - found.error).max() <= 0.06


@pytest.mark.parametrize("case", CASES)
def test_curves_are_curves(case: str) -> None:
    found = _found(case)
    lam, alpha = found.curve.lam, found.curve.precision
    assert bool((np.diff(alpha) >= 0).all())
    assert bool((alpha <= np.minimum(1, lam)).all())
    np.testing.assert_allclose(found.curve.recall * lam, alpha)
    assert bool((found.error >= 0).all())
    assert float(np.median(found.error)) < 0.03


def test_collapse_within_modes_costs_what_a_grid_of_cells_would_not_see() -> None:
    at_one = np.abs(GRID.numpy() - 1).argmin()
    alphas = [float(_found(case).curve.precision[at_one]) for case in list(CASES)[:5]]
    assert alphas[0] > 0.98
    assert alphas[1] < 0.02
    assert alphas[2] == pytest.approx(0.055, abs=0.02)
    assert alphas[1] < alphas[2] < alphas[3] < alphas[4] < alphas[0]


@pytest.mark.parametrize("shape", ["a point", "a line"])
def test_models_without_a_density_score_next_to_nothing(shape: str) -> None:
    samples = _draw(1.0, 8, 28_000, 5)
    if shape == "a point":
        samples = samples[:1].expand(28_000, 2)
    else:
        samples[:, 1] = 0.0
    found = curve_from_neighbours(
        _law().log_prob, samples[:20_000], samples[20_000:], _draw(1.0, 8, 16_000, 6), GRID
    )
    at_one = np.abs(GRID.numpy() - 1).argmin()
    assert float(found.curve.precision[at_one]) <= 0.1
    assert bool(np.isfinite(found.error).all())


def test_it_works_on_a_line_too() -> None:
    law = GaussianMixture(torch.zeros(1, 1).double(), torch.ones(1).double(), 1.0)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(30_000, 1, generator=generator, dtype=torch.float64)
    found = curve_from_neighbours(
        law.log_prob, x[:10_000] + 1, x[10_000:20_000] + 1, x[20_000:], torch.ones(1)
    )
    overlap = 2 * 0.5 * math.erfc(0.5 / math.sqrt(2))  # N(0, 1) and N(1, 1): 2Φ(-½)
    assert float(found.curve.precision[0]) == pytest.approx(overlap, abs=0.02)
    assert abs(float(found.curve.precision[0]) - overlap) <= float(found.error[0])


def test_too_few_samples_are_refused() -> None:
    few = torch.zeros(50, 2)
    with pytest.raises(ValueError, match="needs at least 96 samples to refer to, got 50; draw more"):
        curve_from_neighbours(_law().log_prob, few, few, few, GRID)
