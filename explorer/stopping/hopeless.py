"""A trial ends when it cannot come back: collapsed, starved, its critic saturated, its constraint violated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from explorer.goals import Goal
from explorer.stopping.stopper import Histories, Stopper
from trainables.family import require

__all__ = ["Hopeless"]

_COLLAPSED = 0.01
"""Of the spread of the data; models of one mode of eight have ten times as much."""
_SATURATED = 0.99
_STARVED = 1e-3
_EXCESS = 1e-3

Diagnostics = Mapping[str, float]


@dataclass(frozen=True)
class Hopeless(Stopper):
    """Ends a trial after ``patience`` evaluations in a row in which no gradient could help it.

    - *collapsed*: all samples are as good as one;
    - *critic saturated*: its logits are at their bounds on nearly all samples, where they have no slope;
    - *starved*: λ r̂ > 1 on nearly all samples, so that the loss of λ has no slope there;
    - *constraint violated*: the critic's certified constant is beyond the one that was asked for.

    A trial whose numbers are not finite has *diverged*; it ends under any stopper.

    Attributes:
        patience: evaluations in a row after which a trial without hope is ended.
    """

    name: ClassVar[str] = "hopeless"
    patience: int = 2

    def check(self) -> None:
        """Patience is positive."""
        require(self.patience >= 1, f"stopping.patience must be ≥ 1, got {self.patience}")

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        """Those that were in one and the same state at the last ``patience`` evaluations."""
        ended = {}
        for trial, evaluations in histories.items():
            last = [evaluation.diagnostics for evaluation in evaluations[-self.patience :]]
            if len(last) < self.patience:
                continue
            for state, (holds, words) in _STATES.items():
                if all(holds(diagnostics) for diagnostics in last):
                    ended[trial] = f"{state}: {words.format(**last[-1])}"
                    break
        return ended


def _collapsed(found: Diagnostics) -> bool:
    return found.get("sample_spread", 1.0) < _COLLAPSED


def _saturated(found: Diagnostics) -> bool:
    return found.get("critic_saturation", 0.0) > _SATURATED


def _starved(found: Diagnostics) -> bool:
    """λ counts only once it trains: before, nobody knows whether it is inert."""
    return "lam_inert" in found and found.get("lam_below", 1.0) < _STARVED


def _violated(found: Diagnostics) -> bool:
    return found.get("constraint_excess", 0.0) > _EXCESS


_STATES: Mapping[str, tuple[Callable[[Diagnostics], bool], str]] = {
    "collapsed": (_collapsed, "samples have {sample_spread:.2%} of the spread of the data"),
    "critic saturated": (_saturated, "{critic_saturation:.0%} of its logits are at their bounds"),
    "starved": (_starved, "λ r̂ < 1 on {lam_below:.2%} of the samples, the others have no gradient"),
    "constraint violated": (
        _violated,
        "the critic's constant is {constraint_excess:.1%} beyond the one asked for",
    ),
}
