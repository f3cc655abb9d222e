"""What the scores of a critic stand for: the same order of samples, on one of three scales."""

from __future__ import annotations

from typing import Final, Literal

import torch
from torch import Tensor

__all__ = ["SCALES", "Scale", "check_scores", "log_ratio_of"]

Scale = Literal["logit", "probability", "ratio"]
SCALES: Final[tuple[Scale, ...]] = ("logit", "probability", "ratio")
"""log r; the share σ(log r) of real ones; r itself; all up to a rising map, which a calibration finds."""

_EDGE = 2.0**-24
"""What a probability is away from 0 and 1 at least: float32 has nothing between this and 1."""


def log_ratio_of(scores: Tensor, scale: Scale) -> Tensor:
    """log r of scores in their shape; gradients flow through it. Ratios below 0 are NaN."""
    if scale == "probability":
        return torch.logit(scores, eps=_EDGE)
    return scores.log() if scale == "ratio" else scores


def check_scores(scores: Tensor, scale: Scale, whose: str) -> None:
    """Refuse scores that are missing, or that are none on their scale; ``whose``: how a sentence begins."""
    if scale not in SCALES:
        raise ValueError(f"scores must be read as one of {', '.join(SCALES)}, got {scale!r}")
    missing = int(scores.isnan().sum())
    if missing:
        raise ValueError(
            f"{whose} must be numbers, but {missing:,} of {scores.numel():,} are NaN; remove those samples, or mend "
            "the critic that gave them"
        )
    if scale == "logit" or not scores.numel():
        return
    low, high = float(scores.min()), float(scores.max())
    top = 1.0 if scale == "probability" else torch.inf
    if low < 0 or high > top:
        raise ValueError(
            f"{whose} must be {'in [0, 1]' if scale == 'probability' else '≥ 0'} to be read as {scale}, got values "
            f"from {low:g} to {high:g}; read them as logit if the critic ends without a sigmoid"
        )
