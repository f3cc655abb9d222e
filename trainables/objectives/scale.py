"""How far a critic understates log r: a slope a > 0 that is fitted in passing, while the critic is trained.

It is that of logistic regression of real against generated samples on s = log r̂, the minimum of
E_P[softplus(-a s)] + E_Q[softplus(a s)], and 1 for a critic that has found its scale by itself. After training
``trainables.rejection.calibration`` fits it on points that nobody has seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["followed"]

_PACE = 0.02
"""Of a step of Newton's method on one batch, this part is taken: an average over the last fifty or so."""
_STEEPEST = 5.0
"""|log a| of a slope a stays below this."""


def followed(log_slope: Tensor, real: Tensor, fake: Tensor) -> Tensor:
    """log a (T, 1) after a small step of Newton's method on it, from log r̂ (T, B) of real and generated samples."""
    slope = log_slope.exp()
    on_real, on_fake = (slope * real).sigmoid(), (slope * fake).sigmoid()
    gradient = (fake * on_fake).mean(-1) - (real * (1 - on_real)).mean(-1)
    bends = (values.square() * share * (1 - share) for values, share in ((real, on_real), (fake, on_fake)))
    curvature = sum(bend.mean(-1) for bend in bends)
    step = (-gradient / (curvature * slope[:, 0]).clamp(min=1e-12)).clamp(-1.0, 1.0)
    return (log_slope + _PACE * step.unsqueeze(-1)).clamp(-_STEEPEST, _STEEPEST)
