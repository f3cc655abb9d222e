"""Precision-recall curves of trained models against the law of the data, where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.precision_recall import PRCurve, curve_from_log_ratio, equiangular_grid
from trainables.precision_recall.ratio_law import RatioLaw
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
    grid = equiangular_grid(_POINTS)
    if population.has_density:
        samples = population.sample(_SAMPLES, population.iteration)
        ratios = law.log_prob(samples.x) - population.log_prob(samples)
        return _rows(curve_from_log_ratio(ratios, grid), "exact")
    cells = law.to("cpu").cells()
    if cells is None:
        return nothing
    outside = (1 - cells.masses.sum()).clamp(min=0).reshape(1)
    target = torch.cat((cells.masses, outside)).to(population.device)
    points = population.sample(_SAMPLES, population.iteration).x
    shares = cell_shares(points, cells.edges.to(population.device))
    return _rows(RatioLaw.from_masses(target.expand_as(shares), shares).curve(grid), "histogram")


def _rows(curves: PRCurve, source: str) -> list[dict[str, Any]]:
    """The curves of all trials, precision and recall (T, L), one by one."""
    both = zip(curves.precision, curves.recall, strict=True)
    return [_plain(PRCurve(curves.lam, precision, recall), source) for precision, recall in both]


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
    """Shares of the points of each set (T, n, d) in the cells of edges^d, flattened, and outside of all, last.

    (T, cells + 1); O(T · n · d · log cells).
    """
    sets, count, axes = x.shape
    bins = len(edges) - 1
    index = torch.searchsorted(edges, x.to(edges.dtype).contiguous()) - 1
    inside = ((index >= 0) & (index < bins)).all(dim=2)
    flat = torch.zeros(sets, count, dtype=torch.int64, device=x.device)
    for axis in range(axes):
        flat = flat * bins + index[:, :, axis]
    cells = bins**axes + 1
    flat = torch.where(inside, flat, cells - 1) + cells * torch.arange(sets, device=x.device)[:, None]
    counts = torch.bincount(flat.flatten(), minlength=sets * cells).view(sets, cells)
    return counts.double() / count
