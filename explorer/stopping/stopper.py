"""What a stopper is: after every evaluation it may end trials, which are then read where they stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trainables.family import Member

if TYPE_CHECKING:
    from explorer.goals import Goal
    from trainables.evaluation.reading import Evaluation

__all__ = ["Histories", "Stopper"]

Histories = Mapping[str, "Sequence[Evaluation]"]
"""Evaluations so far of the trials of a pack, by identity, oldest first; a resumed pack begins anew."""


class Stopper(Member, ABC):
    """A member of the family of stoppers.

    A trial that is stopped is finished, and read as at its end. Under another stopper, or none, it goes on from there.
    """

    def rungs_of(self, iterations: int) -> tuple[int, ...]:
        """Where trials of so many iterations wait until it is decided which of all go on; most stoppers have none."""
        return ()

    def survivors(self, values: Sequence[Sequence[float]], missed: Sequence[float]) -> list[int]:
        """Which of the points at a rung go on.

        ``values`` (points, objectives): smaller is better. ``missed``: by how much a point misses the constraints.
        """
        return list(range(len(values)))

    def enough(self, finished: Sequence[Mapping[str, float]], goals: Sequence[Goal]) -> str | None:
        """Why no further trial need begin, given what trials found, in the order of their ends; None if one must."""
        return None

    @abstractmethod
    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Identities of the trials to end now, each with its reason in a few words."""
