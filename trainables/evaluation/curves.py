"""Precision-recall curves of trained models against the law of the data, where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.precision_recall import PRCurve, curve_discrete, curve_from_log_ratio, equiangular_grid
from trainables.sources.law import Law
from trainables.training.population import Population

__all__ = ["cell_shares", "model_curves"]

_POINTS = 101
_SAMPLES = 50_000


def model_curves(population: Population) -> list[dict[str, Any]]:
    """A curve per trial: exact where law and density are known, from a fine histogram where the law has cells.

    Empty where neither is known, or where the density of a flow overflows. O(T · samples) time and memory.
    """
    nothing: list[dict[str, Any]] = [{} for _ in population.configs]
    law = population.source.law
    if law is None:
        return nothing
    if population.has_density:
        samples = population.sample(_SAMPLES, population.iteration)
        ratios = law.log_prob(samples.x) - population.log_prob(samples)
        grid = equiangular_grid(_POINTS)
        return [_plain(curve_from_log_ratio(row.cpu().double(), grid), "exact") for row in ratios]
    return _histogram_curves(population, law.to("cpu")) or nothing


def _histogram_curves(population: Population, law: Law) -> list[dict[str, Any]]:
    cells = law.cells()
    if cells is None:
        return []
    grid = equiangular_grid(_POINTS)
    target = torch.cat((cells.masses, (1 - cells.masses.sum()).clamp(min=0).reshape(1)))
    samples = population.sample(_SAMPLES, population.iteration)
    curves = [curve_discrete(target, cell_shares(row.cpu(), cells.edges), grid) for row in samples.x]
    return [_plain(curve, "histogram") for curve in curves]


def _plain(curve: PRCurve, source: str) -> dict[str, Any]:
    """A curve as lists. α_λ ≤ min(1, λ) for all laws, so an estimate above it is nearer the truth when cut to it."""
    if not (np.isfinite(curve.precision).all() and np.isfinite(curve.recall).all()):
        return {}
    return {
        "lambda": curve.lam.tolist(),
        "precision": np.minimum(curve.precision, np.minimum(1.0, curve.lam)).tolist(),
        "recall": np.minimum(curve.recall, np.minimum(1.0, 1.0 / curve.lam)).tolist(),
        "source": source,
    }


def cell_shares(x: Tensor, edges: Tensor) -> Tensor:
    """Shares of points (n, d) in the cells of edges^d, flattened, and outside of all, last."""
    bins = len(edges) - 1
    index = torch.searchsorted(edges, x.double().contiguous()) - 1
    inside = ((index >= 0) & (index < bins)).all(dim=1)
    flat = torch.zeros(len(x), dtype=torch.int64)
    for axis in range(x.shape[1]):
        flat = flat * bins + index[:, axis]
    flat = torch.where(inside, flat, bins ** x.shape[1])
    return torch.bincount(flat, minlength=bins ** x.shape[1] + 1).double() / len(x)
