"""The one data model of analysis, report and app: a table of trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from explorer.goals import Goal

__all__ = ["BASE_METRICS", "Scalar", "Status", "Trial", "TrialTable"]

Scalar = str | int | float | bool | None
Status = Literal["finished", "failed", "killed", "running"]

BASE_METRICS = ("precision", "recall", "density", "coverage", "fid")
"""Metrics every trial has, at every budget K."""


@dataclass(frozen=True)
class Trial:
    """One point of the space with one seed, as the tracking store knows it.

    Attributes:
        id: identity, the hash of the resolved config.
        run_id: its MLflow run.
        status: where it stands.
        params: resolved config by dotted path, e.g. ``objective.lam``; paths that do not apply are absent.
        metrics: last evaluation without refinement (K = 1), e.g. ``precision``, ``fid``, ``modes``.
        budgets: per OBRS budget K ≥ 1, the same metrics and the measured ``acceptance``.
        reason: why it failed, if it did.
    """

    id: str
    run_id: str
    status: Status
    params: Mapping[str, Scalar]
    metrics: Mapping[str, float]
    budgets: Mapping[float, Mapping[str, float]]
    reason: str | None = None

    @property
    def seed(self) -> int | None:
        """The seed, which repeats a point of the space."""
        seed = self.params.get("seed")
        return None if seed is None else int(seed)

    def point(self) -> tuple[tuple[str, Scalar], ...]:
        """Everything but the seed: trials of equal point are repeats of each other."""
        return tuple(sorted((path, value) for path, value in self.params.items() if path != "seed"))

    def at_budget(self, budget: float) -> Mapping[str, float]:
        """Metrics when read at budget K; an empty mapping if it was not read there."""
        if budget in self.budgets:
            return self.budgets[budget]
        return self.metrics if budget == 1 else {}


@dataclass(frozen=True)
class TrialTable:
    """All trials of one sweep."""

    sweep: str
    goals: tuple[Goal, ...]
    trials: tuple[Trial, ...]
    description: str = ""

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def finished(self) -> TrialTable:
        """Only the trials that ended well."""
        return replace(self, trials=tuple(t for t in self.trials if t.status == "finished"))

    def budgets(self) -> list[float]:
        """Every K at which some trial was read, ascending, 1 always among them."""
        return sorted({1.0, *(k for t in self.trials for k in t.budgets)})

    def metric_names(self) -> list[str]:
        """Names of all metrics, those of ``BASE_METRICS`` first."""
        seen = {name for t in self.trials for name in t.metrics}
        return [m for m in BASE_METRICS if m in seen] + sorted(seen - set(BASE_METRICS))

    def varying(self) -> list[str]:
        """Dotted paths that tell trials apart: those with two values or more among the trials that have them.

        A path that only some trials have, always with the same value, follows from another one that says which.
        """
        values: dict[str, set[str]] = {}
        for trial in self.trials:
            for path, value in trial.params.items():
                values.setdefault(path, set()).add(repr(value))
        return sorted(path for path, seen in values.items() if len(seen) > 1)
