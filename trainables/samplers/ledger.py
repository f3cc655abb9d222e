"""What a stream of samples has cost: calls by kind, acceptance, seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trainables.evaluation.reading import Cost

__all__ = ["Ledger"]


@dataclass
class Ledger:
    """What a stream has cost so far.

    Attributes:
        samples: that were given away.
        draws: calls of the generator for them, also of those that were refused.
        scores: calls of the critic.
        gradients: gradients taken.
        seconds: of computing, by a clock; what found the constants is not in it.
        chosen_from: draws among which the samples were chosen.
    """

    samples: int = 0
    draws: int = 0
    scores: int = 0
    gradients: int = 0
    seconds: float = 0.0
    chosen_from: int = field(default=0, repr=False)

    @property
    def acceptance(self) -> float:
        """Share of samples among all that were drawn to choose from; 1 where draws are moved."""
        return self.samples / self.chosen_from if self.chosen_from else 1.0

    def plain(self) -> dict[str, Any]:
        """Numbers for JSON, those of one sample among them."""
        cost, each = self.cost(), max(1, self.samples)
        return {
            "samples": self.samples,
            "draws": self.draws,
            "scores": self.scores,
            "gradients": self.gradients,
            "seconds": self.seconds,
            "per_sample": {
                "draws": cost.draws,
                "scores": cost.scores,
                "gradients": cost.gradients,
                "calls": cost.draws + cost.scores + cost.gradients,
                "seconds": self.seconds / each,
            },
        }

    def cost(self) -> Cost:
        """Of one sample."""
        each = max(1, self.samples)
        return Cost(self.draws / each, self.scores / each, self.gradients / each)
