"""Upper bounds on the Lipschitz constant of a network, certified or not given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from trainables.lipschitz.convolution import ConvOperator
from trainables.lipschitz.matrices import spectral_norm
from trainables.lipschitz.parts import BatchNorm, Convolution, Dense, Part, Scale, Sum

if TYPE_CHECKING:
    from trainables.training.stack import Stack

__all__ = ["as_kernel", "norm_of", "operator_of", "product_bound"]

Tensors = Mapping[str, Tensor]
"""Parameters, and buffers where there are any, of T stacked networks by name, each (T, *shape)."""


def product_bound(network: Stack, tensors: Tensors) -> Tensor | None:
    """(T,) the product of norms of parts in a row, the sum of those of branches; None where a part is not known.

    It holds out of training, where batch normalisation is linear.
    """
    return None if network.parts is None else norm_of(network.parts, tensors)


def norm_of(part: Part, tensors: Tensors) -> Tensor:
    """(T,) an upper bound on the Lipschitz constant of a part: exact for a linear layer."""
    if isinstance(part, Dense):
        return spectral_norm(tensors[part.weight])
    if isinstance(part, Convolution):
        kernel = as_kernel(part, tensors[part.weight])
        return operator_of(part, tuple(kernel.shape[1:])).norm(kernel)
    if isinstance(part, BatchNorm):
        deviation = (tensors[part.variance] + part.eps).sqrt()
        scale = torch.ones_like(deviation) if part.weight is None else tensors[part.weight].abs()
        return (scale / deviation).amax(dim=1)
    if isinstance(part, Sum):
        return norm_of(part.branch, tensors) + norm_of(part.skip, tensors)
    if isinstance(part, Scale):
        any_row = next(iter(tensors.values()))
        return torch.full((len(any_row),), part.norm, device=any_row.device)
    return _product([norm_of(inner, tensors) for inner in part.parts], tensors)


def _product(norms: list[Tensor], tensors: Tensors) -> Tensor:
    """(T,), 1 for an empty row: the identity."""
    if not norms:
        any_row = next(iter(tensors.values()))
        return torch.ones(len(any_row), device=any_row.device)
    return torch.stack(norms).prod(dim=0)


def as_kernel(part: Convolution, weight: Tensor) -> Tensor:
    """(T, out, in, k, k) of the convolution whose norm it is: for a transposed one, of its adjoint."""
    # A transposed convolution has (in, out) where its adjoint has (out, in): what comes first there comes out here.
    return weight if part.shape.input_first == part.shape.transposed else weight.transpose(1, 2)


def operator_of(part: Convolution, kernel: tuple[int, ...]) -> ConvOperator:
    """The operator behind a part, for a kernel (out, in, k, k)."""
    outputs, inputs, high, wide = kernel
    return ConvOperator(outputs, inputs, (high, wide), part.side, part.shape.stride, part.shape.padding)
