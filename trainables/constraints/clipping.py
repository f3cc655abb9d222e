"""Weight clipping (Arjovsky, Chintala & Bottou 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.constraints.constraint import Columns, Constraint, Parameters
from trainables.family import positive, require

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.training.stack import Stack

__all__ = ["Clipping"]


@dataclass(frozen=True)
class Clipping(Constraint):
    """Every weight and bias is kept in [-limit, limit] after each step.

    A matrix (out, in) of such entries has norm ≤ limit · √(out · in), which bounds the network before it is trained;
    what is certified is the product of the norms that its clipped weights have.

    Attributes:
        limit: bound on the absolute value of every weight and bias.
    """

    name: ClassVar[str] = "clipping"
    rows: ClassVar[tuple[str, ...]] = ("limit",)
    limit: float = 0.1

    def check(self) -> None:
        """The limit is positive."""
        positive(**{"constraint.limit": self.limit})
        require(
            1e-30 <= self.limit <= 1e30,
            f"constraint.limit must lie within single precision, 1e-30 to 1e30, got {self.limit}",
        )

    def final_weights(self, critic: Stack, parameters: Parameters, columns: Columns) -> Parameters:
        """An average of weights remembers those from before the first step."""
        return {name: _clipped(values, columns["limit"]) for name, values in parameters.items()}

    def project(self, parameters: Parameters, columns: Columns) -> None:
        """Clip in place."""
        for values in parameters.values():
            values.copy_(_clipped(values, columns["limit"]))


def _clipped(values: Tensor, limit: Tensor) -> Tensor:
    limit = limit.reshape(-1, *[1] * (values.ndim - 1))
    return values.clamp(-limit, limit)
