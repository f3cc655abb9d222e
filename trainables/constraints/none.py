"""A free network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trainables.constraints.constraint import Constraint

__all__ = ["Free"]


@dataclass(frozen=True)
class Free(Constraint):
    """No constraint at all."""

    name: ClassVar[str] = "none"
