"""What a network is made of, as far as its Lipschitz constant is concerned: a small tree.

A bound on the whole follows from its parts: the product of a row, the sum of branches, the norm of a linear layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainables.models.layers.conv_shape import ConvShape

__all__ = ["BatchNorm", "Convolution", "Dense", "Part", "Row", "Scale", "Sum", "linear_parts"]


@dataclass(frozen=True)
class Dense:
    """A linear layer; ``weight`` names its parameter, (out, in)."""

    weight: str


@dataclass(frozen=True)
class Convolution:
    """A convolution of images of one size.

    A transposed one is the adjoint of a convolution and has its norm: ``side`` is that of the larger image.

    Attributes:
        weight: names its parameter.
        shape: how it is laid out.
        side: height and width of the images that the convolution (not its adjoint) takes.
    """

    weight: str
    shape: ConvShape
    side: tuple[int, int]


@dataclass(frozen=True)
class BatchNorm:
    """Batch normalisation out of training: a diagonal |γ| / √(variance + ε).

    Attributes:
        weight: names γ, None if there is none.
        variance: names the buffer.
        eps: ε.
    """

    weight: str | None
    variance: str
    eps: float


@dataclass(frozen=True)
class Scale:
    """A map whose norm is known and not 1: pooling, enlarging."""

    norm: float


@dataclass(frozen=True)
class Row:
    """Parts one after the other; those of norm 1 are left out."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Sum:
    """Two ways that meet: branch(x) + skip(x)."""

    branch: Row
    skip: Row


Part = Dense | Convolution | BatchNorm | Scale | Row | Sum


def linear_parts(part: Part) -> Iterator[Dense | Convolution]:
    """The layers with weights, in the order of the network."""
    if isinstance(part, Dense | Convolution):
        yield part
    elif isinstance(part, Row):
        for inner in part.parts:
            yield from linear_parts(inner)
    elif isinstance(part, Sum):
        yield from linear_parts(part.branch)
        yield from linear_parts(part.skip)
