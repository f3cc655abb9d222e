"""Rescaling the weights of stacked networks to a chosen Lipschitz constant.

Budgets are shared out from above. A row of n factors with budget c gives each c^{1/n}; what cannot be rescaled in it
(pooling, enlarging) is taken off c first. A sum gives each way half of its budget. If one way of a sum has no
weights, such as an identity of norm s, the other gets s too, and the sum counts in its row as 2s, which cannot be
rescaled. So the bound of the whole is L, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import normalize

from trainables.lipschitz.bound import as_kernel, norm_of, operator_of
from trainables.lipschitz.parts import BatchNorm, Convolution, Dense, Part, Row, Scale, Sum, linear_parts

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["Target", "normalise_exactly", "normalise_tracked", "starting_vectors", "targets"]

_TINY = 1e-30
"""A weight of zeros has norm 0 and stays as it is."""


@dataclass(frozen=True)
class Target:
    """The norm a weight is rescaled to: ``factor`` · L^``exponent``."""

    factor: float
    exponent: float

    def at(self, lipschitz: Tensor) -> Tensor:
        """(T,) for constants L (T,)."""
        return lipschitz.pow(self.exponent) * self.factor


def targets(network: Stack) -> dict[str, Target] | None:
    """The norm of every weight by name, with which the network's bound is L; None if no weights can make it so."""
    if network.parts is None or not _free(network.parts) or _has_batch_norm(network.parts):
        return None
    return dict(_shared_out(network.parts, Target(1.0, 1.0)))


def _has_batch_norm(part: Part) -> bool:
    if isinstance(part, Row):
        return any(_has_batch_norm(inner) for inner in part.parts)
    return isinstance(part, BatchNorm) or (
        isinstance(part, Sum) and (_has_batch_norm(part.branch) or _has_batch_norm(part.skip))
    )


def _free(part: Part) -> bool:
    """Whether its weights can give it any norm."""
    if isinstance(part, Row):
        return any(_free(inner) for inner in part.parts)
    if isinstance(part, Sum):
        return _free(part.branch) and _free(part.skip)
    return isinstance(part, Dense | Convolution)


def _fixed(part: Part) -> float:
    """The norm of a part that is not free."""
    if isinstance(part, Row):
        out = 1.0
        for inner in part.parts:
            out *= _fixed(inner)
        return out
    if isinstance(part, Sum):
        ways = [part.branch, part.skip]
        rigid = [_fixed(way) for way in ways if not _free(way)]
        return sum(rigid) if len(rigid) == len(ways) else 2 * rigid[0]
    assert isinstance(part, Scale)
    return part.norm


def _shared_out(part: Part, budget: Target) -> Iterator[tuple[str, Target]]:
    """The targets of the weights of a part; one that is not free has the norm it has, whatever its budget."""
    if isinstance(part, Dense | Convolution):
        yield part.weight, budget
    elif isinstance(part, Row):
        free = [inner for inner in part.parts if _free(inner)]
        rigid = _fixed(Row(tuple(inner for inner in part.parts if not _free(inner))))
        share = Target(1.0, 0.0)
        if free:
            share = Target((budget.factor / rigid) ** (1 / len(free)), budget.exponent / len(free))
        for inner in part.parts:
            yield from _shared_out(inner, share)
    elif isinstance(part, Sum):
        ways = [part.branch, part.skip]
        rigid_ways = [_fixed(way) for way in ways if not _free(way)]
        half = Target(rigid_ways[0], 0.0) if rigid_ways else Target(budget.factor / 2, budget.exponent)
        for way in ways:
            yield from _shared_out(way, half)


def _widths(network: Stack) -> dict[Dense | Convolution, int]:
    """Numbers that come out of every linear layer: the size of its vector u."""
    assert network.parts is not None
    return {part: _width(network, part) for part in linear_parts(network.parts)}


def _width(network: Stack, part: Dense | Convolution) -> int:
    shape = network.shapes[part.weight]
    if isinstance(part, Dense):
        return shape[0]
    kernel = as_kernel(part, torch.empty(1, *shape, device="meta"))
    return torch.Size(operator_of(part, tuple(kernel.shape[1:])).out_image).numel()


def starting_vectors(network: Stack) -> Tensor:
    """(U,) a vector u for every layer, the same for every trial."""
    return torch.randn(sum(_widths(network).values()), generator=torch.Generator().manual_seed(0))


def normalise_tracked(
    network: Stack, parameters: dict[str, Tensor], lipschitz: Tensor, vectors: Tensor, update: bool
) -> dict[str, Tensor]:
    """Parameters rescaled by a tracked σ; with ``update``, ``vectors`` (T, U) are iterated in place.

    σ ≈ uᵀWv with u, v held constant, so its gradient with respect to W is uvᵀ (Miyato et al. 2018). W is the operator
    whose norm is certified: for a convolution not its kernel as a matrix.
    """
    out = dict(parameters)
    due, widths = targets(network), _widths(network)
    assert due is not None
    for part, u in zip(widths, vectors.split(list(widths.values()), dim=1), strict=True):
        weight = parameters[part.weight]
        sigma, left = (_tracked_dense if isinstance(part, Dense) else _tracked_convolution)(part, weight, u)  # type: ignore[arg-type]
        if update:
            u.copy_(left)
        scale = due[part.weight].at(lipschitz) / sigma.clamp_min(_TINY)
        out[part.weight] = weight * scale.reshape(-1, *[1] * (weight.ndim - 1))
    return out


def _tracked_dense(part: Dense, weight: Tensor, u: Tensor) -> tuple[Tensor, Tensor]:
    """σ (T,) of weights (T, out, in), and the next u (T, out)."""
    with torch.no_grad():
        v = normalize(torch.bmm(u.unsqueeze(1), weight), dim=-1)  # (T, 1, in)
        left = normalize(torch.bmm(weight, v.transpose(1, 2)), dim=1)  # (T, out, 1)
    sigma = torch.bmm(torch.bmm(left.transpose(1, 2), weight), v.transpose(1, 2))
    return sigma.flatten(), left.squeeze(-1)


def _tracked_convolution(part: Convolution, weight: Tensor, u: Tensor) -> tuple[Tensor, Tensor]:
    """The same of kernels, by convolutions."""
    kernel = as_kernel(part, weight)
    operator = operator_of(part, tuple(kernel.shape[1:]))
    with torch.no_grad():
        back = operator.adjoint(kernel, u.reshape(-1, 1, *operator.out_image))
        v = normalize(back.flatten(1), dim=1).reshape(back.shape)
        left = normalize(operator.apply(kernel, v).flatten(1), dim=1)
    sigma = (left * operator.apply(kernel, v).flatten(1)).sum(dim=1)
    return sigma, left


def normalise_exactly(network: Stack, parameters: dict[str, Tensor], lipschitz: Tensor) -> dict[str, Tensor]:
    """Parameters rescaled with the norms that are certified: the constant holds."""
    out = dict(parameters)
    due = targets(network)
    assert due is not None
    assert network.parts is not None
    for part in linear_parts(network.parts):
        weight = parameters[part.weight]
        scale = due[part.weight].at(lipschitz) / norm_of(part, parameters).clamp_min(_TINY)
        out[part.weight] = weight * scale.reshape(-1, *[1] * (weight.ndim - 1))
    return out
