"""Platt scaling of estimated log ratios (Platt 1999; for critics, Turner et al. 2019).

A critic is trained against the moving generator and, for some losses, up to a scale. Rejection needs the ratio of the
sampler actually used. So log r = a·log r̂ + b is fitted by logistic regression of held-out real points against
generated ones: with equal numbers of both, the optimal logit is the log ratio.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["calibrate"]

_PRIOR_POINTS = 1.0
"""The critic's own scale a = 1 weighs as much as so many points: it stands only where there is no evidence."""


def calibrate(real: Tensor, fake: Tensor, steps: int = 40) -> tuple[Tensor, Tensor]:
    """Slope a ≥ 0 and offset b of every trial, each (T,), from log r̂ on real (T, N) and generated (T, M) points.

    Newton's method on the convex loss mean softplus(-(a·s + b)) over real + mean softplus(a·s + b) over generated
    + ridge; O(T·(N+M)) per step. Scores are standardised first, so that step and ridge mean the same whatever the
    critic's scale; a negative slope, which would prefer generated points, is cut to 0.
    """
    scores = torch.cat((real, fake), dim=1).double()
    count_real, count_fake = real.shape[1], fake.shape[1]
    sign = torch.cat((scores.new_ones(count_real), -scores.new_ones(count_fake)))
    weight = torch.cat(
        (scores.new_full((count_real,), 1 / count_real), scores.new_full((count_fake,), 1 / count_fake))
    )
    centre = scores.median(dim=1, keepdim=True).values
    spread = (scores - centre).abs().mean(dim=1, keepdim=True).clamp(min=1e-12)
    design = torch.stack(((scores - centre) / spread, torch.ones_like(scores)), dim=-1)  # (T, N+M, 2)
    prior = torch.cat((spread, torch.zeros_like(spread)), dim=1)  # slope 1 in the original scale
    ridge = scores.new_zeros(2)
    ridge[0] = _PRIOR_POINTS / min(count_real, count_fake)
    # From small logits, where the loss is most curved, Newton's steps do not overshoot.
    theta = prior.clamp(max=1.0)
    for _ in range(steps):
        logit = (design @ theta.unsqueeze(-1)).squeeze(-1)
        miss = torch.sigmoid(-sign * logit)
        gradient = -((weight * sign * miss).unsqueeze(1) @ design).squeeze(1) + ridge * (theta - prior)
        curvature = (design * (weight * miss * (1 - miss)).unsqueeze(-1)).mT @ design
        step = torch.linalg.solve(curvature + torch.diag_embed(ridge + 1e-9), gradient)
        longest = theta.norm(dim=1, keepdim=True).clamp(min=1.0)
        theta = theta - step * (longest / step.norm(dim=1, keepdim=True).clamp(min=1e-300)).clamp(max=1.0)
    slope = (theta[:, 0:1] / spread).clamp(min=0.0)
    offset = theta[:, 1:2] - theta[:, 0:1] * centre / spread
    return slope.squeeze(1).to(real.dtype), offset.squeeze(1).to(real.dtype)
