"""What a refinement is: better samples of the same model, at a cost, at one or several budgets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from trainables.declarations import are_counts, blamed, written
from trainables.evaluation.reading import Cost
from trainables.family import Member, require
from trainables.refinements.draws import Proposals

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Proposals", "Refined", "Refinement"]


@dataclass(frozen=True, eq=False)
class Refined:
    """What a refinement made at one budget: points (n, *shape), their cost, the share of draws that was kept.

    Attributes:
        places: (n,) which of the proposals the points are, where they are such: so their classes are known.
        rejected: (m, *shape) some proposals that were refused, the least likely first, to be shown.
    """

    budget: float
    points: Tensor
    cost: Cost
    acceptance: float
    places: Tensor | None = None
    rejected: Tensor | None = None


class Refinement(Member, ABC):
    """A member of the family of refinements.

    It is read after training, so none of its fields is part of a trial's identity. At K = 1 every refinement is the
    model as it is, which is read anyway.

    Attributes:
        asking: fields that only say which budgets are asked, so that asking for more leaves the readings there are.
    """

    asking: ClassVar[tuple[str, ...]] = ("budgets",)

    def check_answers(self) -> None:
        """Budgets are numbers, a number of samples gives a number of proposals."""
        with blamed(f"asked() of refinement '{self.name}' must give budgets such as (1.5, 2.0)"):
            asked, proposals = self.asked(), self.proposals(1000)
        require(
            isinstance(asked, tuple) and all(isinstance(budget, int | float) for budget in asked),
            f"asked() of refinement '{self.name}' must give budgets such as (1.5, 2.0), got {written(asked)}",
        )
        require(
            all(1 < budget < inf for budget in asked),
            f"refinement '{self.name}' must ask for budgets K > 1, got {written(asked)}; "
            "K = 1 is the model as it is",
        )
        require(
            are_counts([proposals], 1),
            f"proposals() of refinement '{self.name}' must give a whole number ≥ 1, got {written(proposals)}",
        )

    @abstractmethod
    def asked(self) -> tuple[float, ...]:
        """The budgets K > 1 at which it will be read, ascending."""

    @abstractmethod
    def proposals(self, samples: int) -> int:
        """How many proposals it needs to give so many samples at all its budgets."""

    @abstractmethod
    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        """At most ``samples`` points at every budget of ``asked``."""

    def refine_all(self, proposals: Proposals, samples: int) -> list[list[Refined]]:
        """``refine`` of T models: one by one and on the CPU, unless a refinement knows a way to take all at once.

        Whoever overrides it chooses the same points as ``refine``, and gets them on the device of the models.
        """
        return [list(self.refine(own, samples)) for own in proposals.one_by_one()]

    def method_signature(self) -> list[object]:
        """What a reading at one budget depends on: the method and its fields, but not which budgets are asked."""
        changed = {k: v for k, v in self.changed().items() if k not in self.asking}
        return [self.name, self.version, changed]
