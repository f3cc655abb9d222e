"""The front of a sweep at one reading: who is on it, and how much it dominates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from explorer.errors import brief
from explorer.pareto.document import front_document
from explorer.pareto.frame import trials_frame
from explorer.pareto.ranking import Ranking, rank
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import At

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Front"]


@dataclass(frozen=True, repr=False)
class Front:
    """The non-dominated trials of ``table`` at the reading ``at``, by falling recall; iterates over them."""

    table: TrialTable
    at: At

    @cached_property
    def ranking(self) -> Ranking:
        """Ranks of all trials, hypervolume and reference point."""
        return rank(self.table, self.at)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The trials on the front."""
        return tuple(trial for trial in self.by_recall() if trial.id in self.ranking.front)

    def by_recall(self) -> list[Trial]:
        """All trials of the table, by falling recall; those without one last."""
        return sorted(self.table, key=lambda trial: -trial.at(self.at).get("recall", -math.inf))

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __contains__(self, trial: object) -> bool:
        return (trial.id if isinstance(trial, Trial) else trial) in self.ranking.front

    def __repr__(self) -> str:
        return f"<{brief(self.headline(), 160)}; {self.volume()}>"

    def headline(self) -> str:
        """``demo: 8 of 36 trials on the front at K = 2``; K = 1 goes without saying."""
        where = f" at {self.table.words(self.at)}" if self.at.budget != 1 else ""
        return f"{self.table.sweep}: {len(self)} of {len(self.table)} trials on the front{where}"

    def volume(self) -> str:
        """``hypervolume 0.8413``, or why there is none."""
        why = self.ranking.unmeasured
        return f"hypervolume {self.hypervolume:.4f}" if why is None else f"no hypervolume: {why}"

    @property
    def hypervolume(self) -> float:
        """Volume that the front dominates, up to ``reference``; in the units of the objectives, multiplied.

        NaN where that would take too long: ``repr`` says so.
        """
        return self.ranking.hypervolume

    @property
    def reference(self) -> Mapping[str, float]:
        """The worst corner, by metric."""
        return self.ranking.reference

    @property
    def ranks(self) -> Mapping[str, int]:
        """Rank of non-domination by trial, 0 on the front; trials that are not finished have none."""
        return self.ranking.ranks

    def document(self) -> dict[str, Any]:
        """Plain values, those of ``tradeoff front --json``."""
        return front_document(self.table, self.at)

    def to_pandas(self) -> pd.DataFrame:
        """A row per trial of the front, in its order; the columns of ``trials_frame``."""
        frame = trials_frame(self.table)
        here = frame[(frame["method"] == self.at.method) & (frame["budget"] == self.at.budget)]
        return here.set_index("id", drop=False).loc[[t.id for t in self]].reset_index(drop=True)
