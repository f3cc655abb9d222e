"""Slopes that a network has been seen to have: lower bounds on its Lipschitz constant.

Functions map points (T, n, *shape) row by row, and a point's value depends on that point alone.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["gradient_norms", "jacobian_norms", "pairwise_slopes"]

Map = Callable[[Tensor], Tensor]


def gradient_norms(score: Map, points: Tensor, create_graph: bool = False) -> Tensor:
    """‖∇score(x)‖ (T, n) at points x (T, n, *shape), for scores (T, n)."""
    with torch.enable_grad():
        x = points.detach().requires_grad_()
        (slope,) = torch.autograd.grad(score(x).sum(), x, create_graph=create_graph)
    norm: Tensor = torch.linalg.vector_norm(slope.flatten(2), dim=2)
    return norm


def jacobian_norms(function: Map, points: Tensor, iterations: int = 8) -> Tensor:
    """(T, n) the largest singular value of the Jacobian at every point, by power iteration from below.

    Jᵀu is a gradient; J v is the gradient of ⟨Jᵀu, v⟩ with respect to u.
    """
    with torch.enable_grad():
        x = points.detach().requires_grad_()
        y = function(x)
        u = torch.zeros_like(y, requires_grad=True)
        pulled = _pulled(y, x, u, create_graph=True)
        generator = torch.Generator().manual_seed(0)
        v = torch.randn(points.shape[2:], generator=generator).to(points).expand(points.shape)
        norm = torch.zeros(points.shape[:2], device=points.device)
        for _ in range(iterations):
            pushed = _pulled(pulled, u, _unit(v))
            norm = torch.linalg.vector_norm(pushed.flatten(2), dim=2)
            v = _pulled(y, x, pushed)
    return norm.detach()


def _pulled(y: Tensor, x: Tensor, u: Tensor, create_graph: bool = False) -> Tensor:
    """Jᵀu, the gradient of ⟨y, u⟩. Given apart, u would make torch load SymPy, for a second in every process."""
    (pulled,) = torch.autograd.grad((y * u).sum(), x, retain_graph=True, create_graph=create_graph)
    return pulled


def pairwise_slopes(points: Tensor, values: Tensor) -> Tensor:
    """(T, n) how far values (T, n, …) of neighbours in the batch, and of the last and first, are apart per distance."""
    apart = torch.linalg.vector_norm((points - points.roll(1, dims=1)).flatten(2), dim=2)
    change = (values - values.roll(1, dims=1)).reshape(*values.shape[:2], -1)
    rise = torch.linalg.vector_norm(change, dim=2)
    return torch.where(apart > 0, rise / apart, 0.0)


def _unit(v: Tensor) -> Tensor:
    norm: Tensor = torch.linalg.vector_norm(v.flatten(2), dim=2).clamp_min(1e-30)
    return v / norm.reshape(*norm.shape, *[1] * (v.ndim - 2))
