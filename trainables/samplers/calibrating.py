"""The ratio of any model, calibrated on real points that its critic has not seen, and judged on others of them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from trainables.rejection.calibrations.calibration import Calibration
from trainables.rejection.reliability.halves import fit_and_judge
from trainables.rejection.reliability.reliability import Reliability
from trainables.samplers.pool import Drawable, calibrated, log_ratio_at
from trainables.samplers.refining import check_ratios

__all__ = ["Calibrated", "calibrated_by", "calibrated_on"]

BUDGET = 2.0
"""At which a ratio is judged where no other budget is told."""


class Calibrated(NamedTuple):
    """A model with a calibrated ratio, by what it was calibrated, and what points say of it that this has not seen."""

    model: Drawable
    calibration: Calibration
    reliability: Reliability


def calibrated_on(
    model: Drawable,
    kind: type[Calibration],
    real: Tensor,
    count: int,
    seed: int,
    budget: float = BUDGET,
    classes: Tensor | None = None,
) -> Calibrated:
    """By its log r at held-out real points (N, *shape), of classes (N,) where it makes samples for one.

    One half of these and of ``count`` draws of a seed fit the calibration, the other halves judge it. Samples that are
    to be independent of it are drawn with another seed.
    """
    with torch.no_grad():
        scores = log_ratio_at(model, real, classes)
    return calibrated_by(model, kind, scores, count, seed, budget)


def calibrated_by(
    model: Drawable, kind: type[Calibration], scores: Tensor, count: int, seed: int, budget: float = BUDGET
) -> Calibrated:
    """The same by scores (N,) that the critic gave held-out real points, on the scale of those of draws."""
    fake = _drawn(model, count, seed)
    found, (judged,) = fit_and_judge(kind, scores.to(fake.device)[None], fake[None], budget)
    return Calibrated(calibrated(model, found.log_ratio), found, judged)


@torch.no_grad()
def _drawn(model: Drawable, count: int, seed: int) -> Tensor:
    """Log r (count,) at draws of a seed; fewer where draws come to an end."""
    if count < 2:
        raise ValueError(f"a calibration needs at least 2 draws, got {count}; some thousands tell something")
    found: list[Tensor] = []
    for pool in model.pools(seed):
        if pool.log_ratio is None:
            raise ValueError(
                "a calibration needs a ratio, and none is known of this model; give a critic or scores"
            )
        found.append(pool.log_ratio)
        if sum(map(len, found)) >= count:
            break
    ratios = torch.cat(found)[:count]
    check_ratios(ratios)
    return ratios
