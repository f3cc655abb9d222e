"""Whether log ratios are right: what they promise of points they were not fitted on, and what is seen.

``reliability`` is a pure function of log r at held-out real and at generated points and of a budget. Its result is
plain numbers, of which the figure is drawn (``explorer/figures/reliability_chart.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.rejection.obrs import LOG_EXTREME, acceptance, budget_constant, obrs_acceptance
from trainables.rejection.reliability.bins import Bins, Numbers, Pooled, bins_of, sigmoid
from trainables.rejection.reliability.histogram import Histogram, histogram_of
from trainables.rejection.reliability.misfit import Misfit, misfit
from trainables.rejection.reliability.verdict import Measured, Verdict, verdict_of

__all__ = ["Reliability", "reliability"]

MOST_BINS = 10
POINTS_A_BIN = 10
"""Points of the rarer kind, or nearly, that a bin has at least on average."""
REPEATS = 400
"""Draws from which it is told how much of the samples chance alone would exchange."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """What log ratios promise, what was seen, and what to make of it.

    Attributes:
        budget: K.
        real, fake: points that it was judged on, N and M.
        bins: what was expected and seen by bins of equal mass.
        histogram: where points lie.
        error: expected calibration error, Σ_b mass_b |observed share - expected share|, classes weighing alike.
        error_by_chance: what it would be on average of right ratios.
        misfit: the tests, and the offset.
        misplaced: ½ Σ_b |K a_b - K a'_b| over draws, a as expected and a' as observed: the share of the samples kept
            that should be others.
        misplaced_by_chance: what it would be on average of right ratios, by ``REPEATS`` draws of the bins' labels.
        certain: log r from which on a draw is kept for certain, -log c; -∞ at K = 1.
        moved: ½ E_Q|K a - 1|: the share of the samples that rejection exchanges.
        effective: (Σ r)²/Σ r² over generated points: how many weights of r are worth.
        largest: the largest share that one generated point has of Σ r.
        verdict: in words.
    """

    budget: float
    real: int
    fake: int
    bins: Bins
    histogram: Histogram
    error: float
    error_by_chance: float
    misfit: Misfit
    misplaced: float
    misplaced_by_chance: float
    certain: float
    moved: float
    effective: float
    largest: float
    verdict: Verdict

    def plain(self) -> dict[str, Any]:
        """The same as JSON takes it: lists, words, numbers, None for those that are not finite."""
        found: dict[str, Any] = _plain(self)
        return found


def reliability(
    real: Tensor, fake: Tensor, budget: float, bins: int = MOST_BINS, calibration: str = ""
) -> Reliability:
    """Judge log r at held-out real points (N,) and at generated points (M,) that no calibration was fitted on.

    Args:
        real, fake: calibrated log r; ±inf is read as ±``LOG_EXTREME``, NaN is refused.
        budget: K ≥ 1, at which acceptance is looked at.
        bins: how many at most; fewer where points are few or equal.
        calibration: its name, so that the advice is not what was done already.

    Returns:
        All that is known, on the CPU. O(n log n + bins · ``REPEATS``) for n = N + M.
    """
    if not math.isfinite(budget):
        raise ValueError(f"budget K must be a number ≥ 1, got {budget}; use K=1 to accept every sample")
    points = Pooled.of(_values(real, "real"), _values(fake, "generated"))
    worth = 2 / (1 / points.real + 1 / points.fake)
    group = points.groups(max(1, min(bins, int(worth / POINTS_A_BIN))))
    table = bins_of(points, group, budget)
    found = misfit(points, group)
    error, by_chance = _errors(points, table, group)
    log_fake = torch.from_numpy(points.log_ratio[~points.is_real])
    weights = torch.softmax(log_fake, dim=0)
    log_c = budget_constant(log_fake, budget)
    kept = acceptance(log_fake, log_c)
    misplaced, exchanged_by_chance = _misplaced(table, budget), _misplaced_by_chance(points, table, budget)
    effective = float(1 / weights.square().sum())
    verdict = verdict_of(
        Measured(
            points=points,
            group=group,
            bins=table,
            misfit=found,
            budget=budget,
            excess=error - by_chance,
            misplaced=misplaced,
            misplaced_by_chance=exchanged_by_chance,
            effective=effective,
            calibration=calibration,
        )
    )
    return Reliability(
        budget,
        points.real,
        points.fake,
        table,
        histogram_of(points),
        error,
        by_chance,
        found,
        misplaced,
        exchanged_by_chance,
        -float(log_c),
        float((budget * kept - 1).abs().mean() / 2),
        effective,
        float(weights.max()),
        verdict,
    )


def _values(log_ratio: Tensor, kind: str) -> Numbers:
    if log_ratio.ndim != 1 or not len(log_ratio):
        raise ValueError(f"log ratios of {kind} points must be (n,) with n ≥ 1, got {tuple(log_ratio.shape)}")
    values = log_ratio.detach().to("cpu", torch.float64).clamp(-LOG_EXTREME, LOG_EXTREME)
    amiss = int(values.isnan().sum())
    if amiss:
        raise ValueError(
            f"log ratios must be numbers, but {amiss} of {len(values)} of {kind} points are NaN; "
            "leave the trial out: its critic or its calibration has diverged"
        )
    return values.numpy()


def _errors(points: Pooled, table: Bins, group: NDArray[np.int64]) -> tuple[float, float]:
    """The expected calibration error, and its mean for right ratios.

    A bin adds ½|δ_b|, δ_b = Σ_real (1 - σ)/N - Σ_fake σ/M. If r is right δ_b has mean 0, and E_P[g] = Σ w σ g,
    E_Q[g] = Σ w (1 - σ) g over all points; near a normal law E|δ_b| = √(2 Var/π).
    """
    shares = table.real / points.real, table.fake / points.fake
    error = float(np.abs(table.observed_share - table.expected_share) @ (shares[0] + shares[1])) / 2
    belief, weight = sigmoid(points.log_ratio), points.weight
    of_real, of_fake = weight * belief, weight * (1 - belief)
    parts = [
        (np.bincount(group, of * g * g) - np.bincount(group, of * g) ** 2) / count
        for of, g, count in ((of_real, 1 - belief, points.real), (of_fake, belief, points.fake))
    ]
    spread = np.sqrt(np.maximum(parts[0] + parts[1], 0.0))
    return error, float(spread.sum() * math.sqrt(2 / math.pi) / 2)


def _misplaced(table: Bins, budget: float) -> float:
    apart = np.abs(table.observed_acceptance - table.expected_acceptance)
    return float(budget / 2 * (apart @ table.fake) / table.fake.sum())


def _misplaced_by_chance(points: Pooled, table: Bins, budget: float) -> float:
    """The mean of ``misplaced`` if ratios are right: labels of each bin are drawn anew, bins have one ratio each."""
    counts = table.real + table.fake
    prior = math.log(points.real / points.fake)
    with np.errstate(divide="ignore"):
        log_right = np.clip(np.log(table.expected_ratio), -LOG_EXTREME, LOG_EXTREME)
        share = sigmoid(log_right + prior)
        drawn = np.random.default_rng(0).binomial(counts.astype(np.int64), share, (REPEATS, len(counts)))
        log_ratio = np.log(drawn) - np.log(counts - drawn) - prior
    mass = torch.from_numpy(np.maximum(counts * (1 - share), 1e-9))
    mass = mass / mass.sum()
    right = obrs_acceptance(torch.from_numpy(log_right), budget, mass)
    seen = obrs_acceptance(torch.from_numpy(log_ratio), budget, mass)
    return float(budget / 2 * ((seen - right).abs() @ mass).mean())


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (int, str)):
        return value
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
