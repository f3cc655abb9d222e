"""log det(I + ∂g/∂x) of a contraction g: exactly, or by a power series with Russian roulette.

Every function takes g: (n, *shape) → (n, *shape), which treats samples one by one, and points x (n, *shape), and
returns (n,); gradients reach x and what g is made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import vjp, vmap

from trainables.models.layers.flow import summed

__all__ = [
    "exact_log_det",
    "factorised_log_det",
    "jacobian",
    "series_log_det",
    "series_terms",
    "shares_of_terms",
    "solved",
]

_NUMBERS = 1 << 18
"""Entries of Jacobians that are made at a time."""

Map = Callable[[Tensor], Tensor]


def jacobian(g: Map, x: Tensor) -> Tensor:
    """(n, d, d) ∂g/∂x of flattened samples, by d products with its transpose."""
    size = math.prod(x.shape[1:])
    unit = torch.eye(size, dtype=x.dtype, device=x.device).reshape(size, 1, *x.shape[1:])
    pull = vjp(g, x)[1]
    rows: Tensor = vmap(pull)(unit.expand(size, *x.shape))[0]
    return rows.flatten(2).transpose(0, 1)


def exact_log_det(g: Map, x: Tensor) -> Tensor:
    """Σ log of the pivots of I + J. J is a contraction, so that they are positive without any exchange of rows."""
    matrix = _one_plus(jacobian(g, x))
    total = x.new_zeros(x.shape[0])
    while matrix.shape[1]:
        pivot, row, column = matrix[:, 0, 0], matrix[:, :1, 1:], matrix[:, 1:, :1]
        total = total + pivot.log()
        matrix = matrix[:, 1:, 1:] - column * row / pivot[:, None, None]
    return total


def factorised_log_det(g: Map, x: Tensor) -> Tensor:
    """The same by a factorisation, a few samples at a time, for many dimensions d.

    O(n d³) and n d passes through g; memory of d passes at a time, or of as many as 2^18 entries need.
    """
    size = math.prod(x.shape[1:])
    pieces = x.split(max(1, _NUMBERS // size**2))
    return torch.cat([torch.linalg.slogdet(_one_plus(jacobian(g, piece))).logabsdet for piece in pieces])


def solved(jacobian: Tensor, right: Tensor) -> Tensor:
    """(I + J)⁻¹ r by elimination without pivots: J (n, d, d), r (n, d) → (n, d)."""
    matrix = torch.cat((_one_plus(jacobian), right.unsqueeze(2)), dim=2)
    for index in range(right.shape[1]):  # Gauss-Jordan: column after column becomes one of the identity
        row = matrix[:, index : index + 1] / matrix[:, index : index + 1, index : index + 1]
        cleared = matrix - matrix[:, :, index : index + 1] * row
        matrix = torch.cat((cleared[:, :index], row, cleared[:, index + 1 :]), dim=1)
    return matrix[:, :, -1]


def _one_plus(matrix: Tensor) -> Tensor:
    return matrix + torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


def series_terms(constant: float, remainder: float) -> int:
    """Terms of the series after which Lip(g) ≤ L leaves at most ``remainder`` per dimension: L^{K+1}/((K+1)(1-L))."""
    terms = 1
    while constant ** (terms + 1) / ((terms + 1) * (1 - constant)) > remainder:
        terms += 1
    return terms


def shares_of_terms(count: int, terms: int, certain: int, survival: float) -> list[int]:
    """How many of ``count`` samples get term k = 1 … terms: all at first, then a geometric share, at least 1."""
    return [max(1, math.ceil(count * survival ** max(0, k - certain))) for k in range(1, terms + 1)]


def series_log_det(g: Map, x: Tensor, shares: Sequence[int]) -> Tensor:
    """Σ_k (-1)^{k+1}/k vᵀJ^k v · n/n_k, v of random signs: an estimate of Σ_k (-1)^{k+1}/k tr J^k = log det(I + J).

    The k-th term is computed for n_k = ``shares[k-1]`` samples (never rising), chosen by rotating the batch by a random
    shift: every sample has it with probability n_k/n, so that the mean is that of the whole series. This is the Russian
    roulette of Chen et al. 2019 in shapes known beforehand, as stacked trials and CUDA graphs need them. With all
    n_k = n it is the plain series. The gradient is of their Neumann form: w dJ v, w = Σ_k (-1)^{k+1} n/n_k vᵀJ^{k-1},
    is an estimate of tr((I + J)⁻¹ dJ), and no chain of products has to be kept.
    """
    count = x.shape[0]
    shift = (torch.rand_like(x.flatten()[:1]) * count).long()
    places = torch.arange(count, device=x.device)
    rotated = x[(places + shift) % count]
    signs = torch.where(torch.rand_like(x) > 0.5, 1.0, -1.0).to(x.dtype)
    with torch.no_grad():
        value, weights = _chain(g, rotated.detach(), signs, shares)
    pull = vjp(g, rotated)[1]
    slope = summed(pull(weights)[0] * signs)
    return (value + slope - slope.detach())[(places - shift) % count]


def _chain(g: Map, x: Tensor, signs: Tensor, shares: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The value (n,) and the weights w (n, *shape) of the gradient."""
    count, size, pull, product = len(x), 0, None, signs
    value, weights = x.new_zeros(count), torch.zeros_like(x)
    for index, share in enumerate(shares):
        if pull is None or share != size:
            size, product = share, product[:share]
            pull = vjp(g, x[:share])[1]
        factor = (-1) ** index * count / share
        weights = weights + factor * _filled(product, count)
        (product,) = pull(product)
        value = value + factor / (index + 1) * _filled(summed(product * signs[:share]), count)
    return value, weights


def _filled(values: Tensor, count: int) -> Tensor:
    """(m, …) → (count, …) with zeros."""
    return F.pad(values, (0, 0) * (values.ndim - 1) + (0, count - len(values)))
