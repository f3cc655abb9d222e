"""Ratios whose optimal logits are known, for losses to be tried on."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.objectives import Objective
from trainables.objectives.fgan import (
    KL,
    Gan,
    Hellinger,
    Jeffreys,
    JensenShannon,
    PearsonChi2,
    ReverseKL,
    dual_of,
)
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.obrs import Obrs
from trainables.objectives.pr import PR

RATIO_CRITICS: dict[str, tuple[Objective, str]] = {
    "kl": (KL(), "kl"),
    "reverse_kl": (ReverseKL(), "reverse_kl"),
    "js": (JensenShannon(), "js"),
    "jeffreys": (Jeffreys(), "jeffreys"),
    "hellinger": (Hellinger(), "hellinger"),
    "chi2": (PearsonChi2(), "chi2"),
    "gan": (Gan(), "gan"),
    "flow_gan": (FlowGan(), "gan"),
    "mle": (MaximumLikelihood(), "gan"),
    "pr-logistic": (PR(critic="logistic"), "gan"),
    "pr-chi2": (PR(critic="chi2"), "chi2"),
    "pr-hellinger": (PR(critic="hellinger"), "hellinger"),
    "flow_gan-kl": (FlowGan(divergence="kl"), "kl"),
    "obrs": (Obrs(), "gan"),
    "obrs-js": (Obrs(divergence="js"), "js"),
}
"""Objectives whose critic learns a ratio, and the divergence that it maximises the dual of."""


def logit_of(divergence: str, ratio: Tensor) -> Tensor:
    """The raw logit at which a critic has learnt the ratio."""
    return dual_of(divergence).optimal_logit(ratio)


def sampled_ratios(seed: int, count: int = 16) -> Tensor:
    return torch.exp(1.5 * torch.randn(1, count, generator=torch.Generator().manual_seed(seed)).double())


def columns(**values: float) -> dict[str, Tensor]:
    return {name: torch.tensor([value], dtype=torch.float64) for name, value in values.items()}
