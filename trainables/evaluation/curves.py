"""Precision-recall curves of trained models against the law of the data, where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.precision_recall import curve_from_log_ratio, equiangular_grid, geometric_grid
from trainables.precision_recall.neighbours import SURE, curve_from_neighbours
from trainables.sources.law import Law
from trainables.training.population import Population

__all__ = ["model_curves"]

_ANGLES = 101
_SAMPLES = 50_000
_REFERENCE, _MODEL, _REAL = 20_000, 8_000, 16_000
"""Samples of a model without a density: those that stand for it, those it is read on, and those of the law."""
_ENOUGH, _LEAST = 1_000, 0.02
"""Evaluation samples from which on a curve has all of these; whoever asks for fewer has as many fewer, to a share."""

_Array = NDArray[np.float64]


def model_curves(population: Population, samples: int = _ENOUGH) -> list[dict[str, Any]]:
    """A curve per trial where the law is known: from its density if it has one, else from neighbours among its samples.

    Trade-offs are the equiangular grid, for the eye, and the geometric one, on which the λ audit compares trials. Empty
    where the law is not known, or where samples or density are not finite. An evaluation of fewer ``samples`` than the
    usual is meant to be quick: its curves rest on fewer, too, and say so by their error. O(T · samples log samples)
    time in d ≤ 3.
    """
    law = population.source.law
    if law is None:
        return [{} for _ in population.configs]
    grid = torch.cat([equiangular_grid(_ANGLES), geometric_grid()]).unique()
    share = min(1.0, max(_LEAST, samples / _ENOUGH))
    if population.has_density:
        return _of_densities(population, law, grid, round(share * _SAMPLES))
    return _of_samples(population, law, grid, share)


def _of_densities(population: Population, law: Law, grid: Tensor, count: int) -> list[dict[str, Any]]:
    """α_λ is the mean of values in [0, 1], so its variance is at most α_λ(1 - α_λ)/n."""
    samples = population.sample(count, population.iteration)
    ratios = law.log_prob(samples.x) - population.log_prob(samples)
    curves = curve_from_log_ratio(ratios, grid)
    rows: list[dict[str, Any]] = []
    for own, alpha in zip(ratios, np.minimum(curves.precision, np.minimum(1.0, curves.lam)), strict=True):
        if bool(own.isnan().any()) or bool((own == torch.inf).any()):
            rows.append({})
            continue
        rows.append(_plain(curves.lam, alpha, SURE * np.sqrt(alpha * (1 - alpha) / count), "exact"))
    return rows


def _of_samples(population: Population, law: Law, grid: Tensor, share: float) -> list[dict[str, Any]]:
    """Every trial meets the same samples of the law: what is luck in them favours nobody."""
    reference, model, count = (round(share * many) for many in (_REFERENCE, _MODEL, _REAL))
    points = population.sample(reference + model, population.iteration).x.flatten(2)
    real = population.source.reference(count).x.to(points.device).flatten(1)

    def log_p(x: Tensor) -> Tensor:
        return law.log_prob(x.unflatten(1, law.shape))

    rows: list[dict[str, Any]] = []
    for own in points:
        if not bool(torch.isfinite(own).all()):
            rows.append({})
            continue
        found = curve_from_neighbours(log_p, own[:reference], own[reference:], real, grid)
        rows.append(_plain(found.curve.lam, found.curve.precision, found.error, "neighbours"))
    return rows


def _plain(lam: _Array, alpha: _Array, error: _Array, source: str) -> dict[str, Any]:
    """A curve as lists."""
    columns = {"lambda": lam, "precision": alpha, "recall": alpha / lam, "error": error}
    return {name: [float(f"{value:.6g}") for value in values] for name, values in columns.items()} | {
        "source": source
    }
