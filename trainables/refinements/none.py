"""No refinement: the model is read as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from trainables.refinements.draws import Proposals
from trainables.refinements.refinement import Refined, Refinement

__all__ = ["AsItIs"]


@dataclass(frozen=True)
class AsItIs(Refinement):
    """Nothing beyond the plain reading."""

    name: ClassVar[str] = "none"

    def asked(self) -> tuple[float, ...]:
        """None."""
        return ()

    def proposals(self, samples: int) -> int:
        """The samples themselves."""
        return samples

    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        """Nothing."""
        return iter(())
