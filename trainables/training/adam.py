"""Adam on rows: every trial with its own learning rate and moments (Kingma & Ba 2015)."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.training.compiled import compiled

__all__ = ["RowAdam"]

_EPS = 1e-8
_LARGEST = 1e3
"""A row whose largest entry exceeds this is scaled down to it: exponential critics (KL) can spike past float32."""


class RowAdam:
    """Updates a (T, P) matrix in place; rows do not touch each other. CUDA-graph safe."""

    def __init__(self, lr: Tensor, beta1: Tensor, beta2: Tensor, compiles: bool = False) -> None:
        """Rates are (T,) each; ``compiles``: by torch, so that a step is one pass over the rows instead of a dozen."""
        self._rates = tuple(value.unsqueeze(1) for value in (lr, beta1, beta2))
        self._update = compiled(_update) if compiles else _update

    def step(
        self,
        parameters: Tensor,
        gradient: Tensor,
        first: Tensor,
        second: Tensor,
        count: Tensor,
        share: Tensor,
    ) -> None:
        """One update.

        ``first`` and ``second`` (T, P) are the moments, ``count`` the updates including this one, ``share`` (T,) the
        part of its learning rate that a trial now takes.
        """
        self._update(parameters, gradient, first, second, count, share.unsqueeze(1), *self._rates)


def _update(
    parameters: Tensor,
    gradient: Tensor,
    first: Tensor,
    second: Tensor,
    count: Tensor,
    share: Tensor,
    lr: Tensor,
    beta1: Tensor,
    beta2: Tensor,
) -> None:
    gradient = gradient * (_LARGEST / gradient.abs().amax(dim=1, keepdim=True)).clamp(max=1.0)
    first.mul_(beta1).add_(gradient * (1 - beta1))
    second.mul_(beta2).add_(gradient.square() * (1 - beta2))
    rate = lr * share / (1 - beta1**count)
    deviation = second.sqrt() / torch.sqrt(1 - beta2**count)
    parameters.sub_(rate * first / (deviation + _EPS))
