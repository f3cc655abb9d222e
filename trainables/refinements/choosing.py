"""Refinements that choose among draws: a mask over what a model has drawn, from ratios and random numbers alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from trainables.evaluation.reading import Cost
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.draws import Proposals
from trainables.refinements.refinement import Refined

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Choosing", "enough"]

SHOWN = 64
"""Refused draws that are told, for pictures."""


def enough(samples: int, budget: float) -> int:
    """Draws of which one in K is kept by chance, such that ``samples`` are, but for a six-sigma accident."""
    return int(budget * (samples + 6 * samples**0.5)) + 1


@dataclass(frozen=True)
class Choosing(Budgeted, ABC):
    """Every draw is scored once, and kept or not; a sample costs as many draws and scores as there are for one kept."""

    def due(self, samples: int, budget: float) -> int:
        """How many draws give so many samples at a budget."""
        return enough(samples, budget)

    @abstractmethod
    def constants(self, log_ratio: Tensor, budget: float) -> Tensor:
        """(T, C) what decides at a budget, found on log p/q (T, N) of draws of the models; float64."""

    @abstractmethod
    def kept(
        self,
        log_ratio: Tensor,
        uniform: Tensor,
        constants: Tensor,
        budget: float,
        real: Tensor | None = None,
        before: int = 0,
    ) -> Tensor:
        """(T, M) which draws are kept, of log p/q and of uniforms in (0, 1], both (T, M), in the order of draws.

        ``real`` (T, R): log p/q at real points, where they are known. ``before``: how many samples the draws before
        these have given.
        """

    def spent(self, keep: Tensor, samples: int, budget: float, before: int = 0) -> int:
        """How many of the draws of one model, of which ``keep`` (M,) are kept, the first ``samples`` samples take."""
        return int(keep.nonzero()[samples - 1]) + 1 if samples else 0

    def settled(self, keep: Tensor, budget: float, before: int = 0) -> int:
        """How many of these draws belong to samples that are over: all, where each is decided upon by itself."""
        return len(keep)

    def proposals(self, samples: int) -> int:
        """Enough for the largest budget."""
        return max((self.due(samples, budget) for budget in self.asked()), default=samples)

    def refine_all(self, proposals: Proposals, samples: int) -> list[list[Refined]]:
        """Every K from one pool, with constants found on its own part of it: O(T · M log M) for each."""
        import torch

        found: list[list[Refined]] = [[] for _ in proposals.points]
        for budget in self.asked():
            size = min(self.due(samples, budget), proposals.points.shape[1])
            log_ratio, drawn = proposals.log_ratio[:, :size], proposals.points[:, :size]
            constants = self.constants(log_ratio, budget)
            keep = self.kept(log_ratio, proposals.uniform[:, :size], constants, budget, proposals.real)
            taken = keep.cumsum(1)
            rows, places = (keep & (taken <= samples)).nonzero(as_tuple=True)  # row by row, each in its order
            counts = taken[:, -1].tolist()
            given = [min(count, samples) for count in counts]
            worst = torch.where(keep, inf, log_ratio).topk(min(SHOWN, size), largest=False).indices
            parts = zip(drawn[rows, places].split(given), places.split(given), strict=True)
            for row, (own, (kept, at), count) in enumerate(zip(found, parts, counts, strict=True)):
                each = size / count if count else inf
                refused = drawn[row, worst[row, : size - count]]
                own.append(Refined(budget, kept, Cost(draws=each, scores=each), count / size, at, refused))
        return found
