"""Rescaling the weights of stacked perceptrons to a chosen Lipschitz constant.

A perceptron of n layers with 1-Lipschitz activations has constant ≤ Π σ_i. Each weight is rescaled to spectral norm
L^{1/n}, so the whole is L-Lipschitz.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import normalize

from trainables.lipschitz.bound import spectral_norm

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["normalise_exactly", "normalise_tracked", "starting_vectors"]


def _rows(critic: Stack) -> dict[str, int]:
    """Height of every weight matrix, by name."""
    return {name: critic.shapes[name][0] for name in critic.linear or ()}


def _target(critic: Stack, lipschitz: Tensor) -> Tensor:
    """L^{1/n}, (T, 1, 1)."""
    return lipschitz.pow(1 / len(critic.linear or ()))[:, None, None]


def starting_vectors(critic: Stack) -> Tensor:
    """(U,) a vector u for every layer, the same for every trial."""
    return torch.randn(sum(_rows(critic).values()), generator=torch.Generator().manual_seed(0))


def normalise_tracked(
    critic: Stack, parameters: dict[str, Tensor], lipschitz: Tensor, vectors: Tensor, update: bool
) -> dict[str, Tensor]:
    """Parameters rescaled by a tracked σ; with ``update``, ``vectors`` (T, U) are iterated in place.

    σ ≈ uᵀWv with u, v held constant, so its gradient with respect to W is uvᵀ (Miyato et al. 2018).
    """
    out = dict(parameters)
    rows, target = _rows(critic), _target(critic, lipschitz)
    for name, u in zip(rows, vectors.split(list(rows.values()), dim=1), strict=True):
        weight = parameters[name]  # (T, out, in)
        with torch.no_grad():
            v = normalize(torch.bmm(u.unsqueeze(1), weight), dim=-1)  # (T, 1, in)
            left = normalize(torch.bmm(weight, v.transpose(1, 2)), dim=1)  # (T, out, 1)
            if update:
                u.copy_(left.squeeze(-1))
        sigma = torch.bmm(torch.bmm(left.transpose(1, 2), weight), v.transpose(1, 2))
        out[name] = weight * (target / sigma)
    return out


def normalise_exactly(critic: Stack, parameters: dict[str, Tensor], lipschitz: Tensor) -> dict[str, Tensor]:
    """Parameters rescaled with σ from a singular value decomposition: the constant holds, certified."""
    out = dict(parameters)
    target = _target(critic, lipschitz)
    for name in critic.linear or ():
        out[name] = parameters[name] * (target / spectral_norm(parameters[name])[:, None, None])
    return out
