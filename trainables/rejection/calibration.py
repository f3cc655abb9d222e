"""Platt scaling of estimated log ratios (Platt 1999; for critics, Turner et al. 2019).

A critic is trained against the moving generator and, for some losses, up to a scale. Rejection needs the ratio of the
sampler actually used. So log r = a·log r̂ + b is fitted by logistic regression of held-out real points against
generated ones. If N real and M generated points counted alike, its logit would be log r + log(N/M); here each class
as a whole weighs what the other does, so that it is the log ratio whatever N and M.

Points that a threshold separates, or nearly, would drive the slope to infinity. Platt therefore moves the targets 1 and
0 a little towards ½. Ours move towards the critic's own belief σ(log r̂) instead, and most where it is least sure of
itself: a critic that is right stays so, one whose scale is too large by any factor loses about log 2 for every point
the belief is worth, and where the points say nothing the critic's scale stands, a = 1 and b = 0.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["calibrate"]

_PRIOR_POINTS = 4.0
"""The critic's own belief weighs as much as so many points of the rarer class."""
_RIDGE = 1e-9
"""Largest pull of the ridge towards a = 1, b = 0: it decides only what no point does, as where all scores are alike."""


def calibrate(real: Tensor, fake: Tensor, steps: int = 200) -> tuple[Tensor, Tensor]:
    """Slope a ≥ 0 and offset b of every trial, each (T,), from log r̂ on real (T, N) and generated (T, M) points.

    With z = a·s + b at the scores s, it is the minimum of the convex loss

        mean_real ℓ(1, z) + mean_fake ℓ(0, z) + Σ_i v_i ℓ(σ(s_i), z_i),    ℓ(t, z) = softplus(z) - tz,

    v_i proportional to the weight of a point times σ(s_i)(1 - σ(s_i)), 4/min(N, M) in all; by Newton's method on
    standardised scores, O(T·(N+M)) per step, at most ``steps`` of them. A negative slope, which would prefer generated
    points, is cut to 0, and b is the best one for it.
    """
    count_real, count_fake = real.shape[1], fake.shape[1]
    if not count_real or not count_fake:
        raise ValueError(
            f"calibration needs points of both kinds, got {count_real} real and {count_fake} generated"
        )
    scores = torch.cat((real, fake), dim=1).double()
    is_real = torch.arange(count_real + count_fake, device=scores.device) < count_real
    weight = torch.where(is_real, 1 / count_real, 1 / count_fake).to(scores)
    unsure = functional.logsigmoid(scores) + functional.logsigmoid(-scores)
    prior = _PRIOR_POINTS / min(count_real, count_fake)
    trust = prior * torch.softmax(unsure + weight.log(), dim=1)
    centre = scores.median(dim=1, keepdim=True).values
    spread = (scores - centre).abs().mean(dim=1, keepdim=True).clamp(min=1e-12)
    design = torch.stack(((scores - centre) / spread, torch.ones_like(scores)), dim=-1)  # (T, N+M, 2)
    unchanged = torch.cat((spread, centre), dim=1)  # a = 1, b = 0 in these coordinates
    ridge = _RIDGE / unchanged.abs().clamp(min=1.0)
    # From small logits, where the loss is most curved, Newton's steps do not overshoot.
    theta = torch.cat((spread.clamp(max=1.0), torch.zeros_like(centre)), dim=1)
    for _ in range(steps):
        logit = (design @ theta.unsqueeze(-1)).squeeze(-1)
        miss = torch.where(is_real, -torch.sigmoid(-logit), torch.sigmoid(logit))
        pull = weight * miss + trust * _gap(logit, scores)
        gradient = (pull.unsqueeze(1) @ design).squeeze(1) + ridge * (theta - unchanged)
        bend = (weight + trust) * torch.sigmoid(logit) * torch.sigmoid(-logit)
        curvature = (design * bend.unsqueeze(-1)).mT @ design + torch.diag_embed(ridge)
        step = torch.linalg.solve(curvature, gradient)
        length, longest = step.norm(dim=1, keepdim=True), theta.norm(dim=1, keepdim=True).clamp(min=1.0)
        theta = theta - step * (longest / length.clamp(min=1e-300)).clamp(max=1.0)
        if bool((length <= 1e-12 * longest).all()):
            break
    slope, offset = theta[:, 0] / spread[:, 0], theta[:, 1] - theta[:, 0] * (centre / spread)[:, 0]
    # With a = 0 the logit is one number, that of the mean target.
    target = (1 + (trust * torch.sigmoid(scores)).sum(1)) / (2 + prior)
    offset = torch.where(slope < 0, torch.logit(target), offset)
    return slope.clamp(min=0.0).to(real.dtype), offset.to(real.dtype)


def _gap(z: Tensor, s: Tensor) -> Tensor:
    """σ(z) - σ(s), without cancellation where both are close to 1."""
    return torch.where(z + s > 0, torch.sigmoid(-s) - torch.sigmoid(-z), torch.sigmoid(z) - torch.sigmoid(s))
