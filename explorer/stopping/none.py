"""Every trial is trained to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from explorer.goals import Goal
from explorer.stopping.stopper import Histories, Stopper

__all__ = ["Never"]


@dataclass(frozen=True)
class Never(Stopper):
    """No trial is ended early."""

    name: ClassVar[str] = "none"

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Nobody."""
        return {}
