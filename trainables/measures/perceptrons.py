"""An ensemble of small networks that tell two sets apart, trained together and stopped early."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from trainables.measures.knn.products import full_float32
from trainables.measures.standard import Standard

__all__ = ["PerceptronEnsemble"]

_WIDTH = 128
_RATE, _DECAY = 2e-3, 1e-2
_STEPS = 16
"""Steps of an epoch, where there are samples enough for batches of 32 to 1,024."""
_EPOCHS, _PATIENCE = 60, 6
"""Epochs at most, and those without a smaller loss of the samples put aside before training ends."""
_ROWS = 1 << 14
"""Rows that are scored at a time."""

Weights = list[Tensor]


@dataclass(frozen=True)
class PerceptronEnsemble:
    """The mean logit of E perceptrons with two hidden layers on standardised features; high for the class labelled 1.

    ``weights`` are three matrices (E, i, o) and three rows (E, 1, o), in turn.
    """

    weights: Sequence[Tensor]
    standard: Standard

    @classmethod
    def fit(
        cls,
        x: Tensor,
        labels: Tensor,
        members: int = 4,
        seed: int = 0,
        progress: Callable[[float], None] | None = None,
    ) -> PerceptronEnsemble:
        """Perceptrons on ``x`` (N, d) with ``labels`` (N,) in {0, 1}, by AdamW on the logistic loss.

        Members differ by their first weights and the order of samples. A fifth of either class is put aside, the same
        for all, and the weights with the smallest loss on it are kept: nothing is tuned on the samples that are
        scored. Both classes weigh the same. An epoch is O(N·E·128·(d + 128)), and there are at most 60.
        """
        standard = Standard.of(x)
        z, target = standard(x), labels.to(x.device).float()
        generator = torch.Generator(device=x.device).manual_seed(seed)
        aside = _fifth(target, generator)
        balance = torch.where(target > 0, 0.5 / target.mean(), 0.5 / (1 - target).mean())
        train = (~aside).nonzero()[:, 0]
        weights = _first(members, x.shape[1], generator)
        optimiser = torch.optim.AdamW(weights, lr=_RATE, weight_decay=_DECAY)
        best, kept, since = math.inf, [w.detach().clone() for w in weights], 0
        batch = min(max(len(train) // _STEPS, 32), 1024)
        with full_float32():
            for epoch in range(_EPOCHS):
                if progress is not None:
                    progress(epoch / _EPOCHS)
                orders = torch.rand(members, len(train), device=x.device, generator=generator).argsort(dim=1)
                for rows in train[orders].split(batch, dim=1):
                    optimiser.zero_grad()
                    _loss(_logits(weights, z[rows]), target[rows], balance[rows]).backward()
                    optimiser.step()
                with torch.no_grad():
                    logits = _mean_logit(weights, z[aside])
                    loss = float(_loss(logits, target[aside], balance[aside]))
                since += 1
                if loss < best:
                    best, kept, since = loss, [w.detach().clone() for w in weights], 0
                if since >= _PATIENCE:
                    break
        return cls(kept, standard)

    def scores(self, x: Tensor) -> Tensor:
        """The mean logit of the members, (n, d) → (n,)."""
        with full_float32(), torch.no_grad():
            return _mean_logit(self.weights, self.standard(x))


def _fifth(target: Tensor, generator: torch.Generator) -> Tensor:
    """A random fifth of either class, of each one sample at least: (N,), true for those."""
    draws = torch.rand(len(target), device=target.device, generator=generator)
    aside = torch.zeros(len(target), dtype=torch.bool, device=target.device)
    for label in (0.0, 1.0):
        own = (target == label).nonzero()[:, 0]
        aside[own[draws[own].argsort()[: max(1, len(own) // 5)]]] = True
    return aside


def _first(members: int, dimension: int, generator: torch.Generator) -> Weights:
    """Weights before training, as He et al. 2015 draw them; the last layer is small, so that logits begin near 0."""
    widths = (dimension, _WIDTH, _WIDTH, 1)
    weights = []
    for i, o in pairwise(widths):
        drawn = torch.randn(members, i, o, device=generator.device, generator=generator)
        scale = math.sqrt(2 / i) if o > 1 else 0.1 / math.sqrt(i)
        weights += [(scale * drawn).requires_grad_(), torch.zeros(members, 1, o, device=generator.device)]
        weights[-1].requires_grad_()
    return weights


def _logits(weights: Sequence[Tensor], x: Tensor) -> Tensor:
    """Of every member on rows of its own, (E, n, d) → (E, n)."""
    hidden = x
    for at in range(0, len(weights) - 2, 2):
        hidden = torch.baddbmm(weights[at + 1], hidden, weights[at]).relu()
    return torch.baddbmm(weights[-1], hidden, weights[-2])[..., 0]


def _mean_logit(weights: Sequence[Tensor], x: Tensor) -> Tensor:
    """Of all members on the same rows, a block of them at a time, (n, d) → (n,)."""
    members = len(weights[0])
    return torch.cat(
        [_logits(weights, rows.expand(members, *rows.shape)).mean(dim=0) for rows in x.split(_ROWS)]
    )


def _loss(logits: Tensor, target: Tensor, balance: Tensor) -> Tensor:
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, target, weight=balance)
