"""Adam on rows: every trial with its own learning rate and moments (Kingma & Ba 2015)."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["RowAdam"]

_EPS = 1e-8
_LARGEST = 1e3
"""A row whose largest entry exceeds this is scaled down to it: exponential critics (KL) can spike past float32."""


class RowAdam:
    """Updates a (T, P) matrix in place; rows do not touch each other. CUDA-graph safe."""

    def __init__(self, lr: Tensor, beta1: Tensor, beta2: Tensor) -> None:
        """Each argument is (T,)."""
        self._lr, self._beta1, self._beta2 = (value.unsqueeze(1) for value in (lr, beta1, beta2))

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
        gradient = gradient * (_LARGEST / gradient.abs().amax(dim=1, keepdim=True)).clamp(max=1.0)
        first.mul_(self._beta1).add_(gradient * (1 - self._beta1))
        second.mul_(self._beta2).add_(gradient.square() * (1 - self._beta2))
        rate = self._lr * share.unsqueeze(1) / (1 - self._beta1**count)
        deviation = second.sqrt() / torch.sqrt(1 - self._beta2**count)
        parameters.sub_(rate * first / (deviation + _EPS))
