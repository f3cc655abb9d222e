"""The one data model of analysis, report and app: a table of trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter

from explorer.errors import UserError, brief
from explorer.goals import Goal
from explorer.results.catalogue import BASE, STAGE, Catalogue, built_in
from explorer.store.schema import PLAIN, At, Scalar, Status, budget_text
from explorer.store.stop import Stop

__all__ = ["Scalar", "Status", "Trial", "TrialTable", "varying"]

USUAL = "obrs"
"""The refinement that is shown first where as many trials were read through others."""


@dataclass(frozen=True)
class Trial:
    """One point of the space with one seed, as the tracking store knows it.

    Attributes:
        id: identity, the hash of what was trained.
        run_id: its MLflow run.
        status: where it stands.
        params: its config by dotted path, e.g. ``objective.lam``; paths that do not apply are absent.
        readings: metrics by reading, e.g. ``precision``, ``fid``; the model as it is first (diagnostics included).
        reason: why it failed, if it did.
        marks: what each reading was made with, as fingerprints; empty for a run of layout 1.
        stopped: where, by which stopper and why it ended early, if it did.
        outcome: of which kind its failure was, None of others.
        layout: of its run.
        alphas: α_λ of the model as it is at every λ of ``TRADE_OFFS``, off its PR curve; empty where that is not known.
        started, ended: when its run began and ended, in MLflow's milliseconds; 0 where no time stands.
    """

    id: str
    run_id: str
    status: Status
    params: Mapping[str, Scalar]
    readings: Mapping[At, Mapping[str, float]]
    reason: str | None = None
    marks: Mapping[At, str] = field(default_factory=dict)
    stopped: Stop | None = None
    outcome: str | None = None
    layout: str = "1"
    alphas: tuple[float, ...] = ()
    started: int = 0
    ended: int = 0

    @property
    def metrics(self) -> Mapping[str, float]:
        """Metrics of the model as it is, and diagnostics."""
        return self.readings.get(PLAIN, {})

    @property
    def why(self) -> str | None:
        """Why it failed, or where and why it was ended early; None where it ended as it should.

        A finished trial has a reason where only a later reading of it failed.
        """
        if self.status != "finished":
            return self.reason
        told = [] if self.stopped is None else [self.stopped.words()]
        told += [f"a further reading failed: {self.reason}"] if self.reason else []
        return "; ".join(told) or None

    @property
    def seed(self) -> int | None:
        """The seed, which repeats a point of the space."""
        seed = self.params.get("seed")
        if isinstance(seed, float) and seed.is_integer():  # a whole number beyond 64 bits was read as a float
            return int(seed)
        return seed if isinstance(seed, int) and not isinstance(seed, bool) else None

    def point(self) -> tuple[tuple[str, bool, Scalar], ...]:
        """Everything but the seed and the base of that seed: trials of equal point are repeats of each other.

        Path, whether the value is a truth, value: Python holds ``True`` and 1 for equal.
        """
        params = self.params.items()
        return tuple(
            (path, isinstance(value, bool), value)
            for path, value in sorted(params, key=itemgetter(0))
            if path not in ("seed", BASE)
        )

    def at(self, at: At) -> Mapping[str, float]:
        """Metrics of one reading; an empty mapping if there is none."""
        return self.readings.get(PLAIN if at.budget == 1 else at, {})

    def path(self, method: str) -> list[At]:
        """The readings of a method as K grows, from the model as it is."""
        return sorted(
            (at for at in self.readings if at == PLAIN or at.method == method), key=lambda a: a.budget
        )


@dataclass(frozen=True)
class TrialTable:
    """All trials of one sweep, or of several, whose names ``parts`` are; ``faults`` say what could not be read."""

    sweep: str
    goals: tuple[Goal, ...]
    trials: tuple[Trial, ...]
    description: str = ""
    catalogue: Catalogue = field(default_factory=built_in)
    faults: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def complaint(self) -> str | None:
        """One sentence on what of the sweep could not be read; None if all was."""
        if not self.faults:
            return None
        several = f"{len(self.faults)} parts" if len(self.faults) > 1 else "one part"
        told = brief(", ".join(self.faults[:3]) + (", …" if len(self.faults) > 3 else ""), 180)
        return f"{several} of sweep '{brief(self.sweep, 40)}' could not be read: {told}"

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def finished(self) -> TrialTable:
        """Only the trials that ended well."""
        return replace(self, trials=tuple(t for t in self.trials if t.status == "finished"))

    def failures(self) -> dict[str, list[Trial]]:
        """The trials that failed by their reason, what befell most first. O(N log N)."""
        found: dict[str, list[Trial]] = {}
        for trial in self.trials:
            if trial.status == "failed":
                found.setdefault(trial.reason or "no reason given", []).append(trial)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def stops(self) -> dict[str, list[Trial]]:
        """The finished trials that were ended early by what befell them, the most frequent first. O(N log N)."""
        found: dict[str, list[Trial]] = {}
        for trial in self.finished():
            if trial.stopped is not None:
                found.setdefault(trial.stopped.kind, []).append(trial)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def bases(self) -> frozenset[str]:
        """Identities of the trials that others begin at."""
        return frozenset(str(trial.params[BASE]) for trial in self.trials if BASE in trial.params)

    @cached_property
    def _methods(self) -> tuple[str, ...]:
        have = Counter(
            method for t in self.trials for method in {at.method for at in t.readings if at != PLAIN}
        )
        return tuple(sorted(have, key=lambda method: (-have[method], method != USUAL, method)))

    def methods(self) -> list[str]:
        """Refinements through which some trial was read, those of most trials first; found once.

        Of equals ``obrs`` is first, then by name. So what is read of one trial afterwards is not what its sweep shows.
        """
        return list(self._methods)

    def method(self, wanted: str | None = None) -> str:
        """The refinement that is wanted, else the first there is."""
        return wanted or next(iter(self.methods()), PLAIN.method)

    def budgets(self, method: str | None = None) -> list[float]:
        """Every K at which some trial was read through a method (the first, if none is named), 1 always among them."""
        chosen = self.method(method)
        return sorted({1.0, *(at.budget for t in self.trials for at in t.readings if at.method == chosen)})

    def reading(self, budget: float, method: str | None = None) -> At:
        """The reading at K of a method, the first one if none is named."""
        return PLAIN if budget == 1 else At(self.method(method), budget)

    def reading_at(self, budget: float, method: str | None = None) -> At:
        """The reading at K of a method, the first one if none is named; refuses what no trial was read through."""
        if method == PLAIN.method and budget == PLAIN.budget:
            return PLAIN
        methods, budgets = self.methods(), self.budgets(method)
        if method is not None and method not in methods:
            raise UserError(
                f"the method must be one through which sweep '{self.sweep}' was read "
                f"({', '.join(methods) or 'none'}), got '{method}'"
            )
        if budget not in budgets:
            raise UserError(
                f"the budget must be one at which sweep '{self.sweep}' was read "
                f"({', '.join(map(budget_text, budgets))}), got {repr(budget).removesuffix('.0')}"
            )
        return self.reading(budget, method)

    def words(self, at: At) -> str:
        """A reading for people: ``K = 2``, with the method where the sweep has several."""
        return at.words(with_method=len(self.methods()) > 1)

    def metric_names(self, at: At = PLAIN) -> list[str]:
        """Keys of what some trial has at a reading, in the catalogue's order, diagnostics last; found once."""
        if at not in self._names:
            self._names[at] = self.catalogue.ordered({name for t in self.trials for name in t.at(at)})
        return list(self._names[at])

    @cached_property
    def _names(self) -> dict[At, list[str]]:
        return {}

    def shown_metrics(self, at: At = PLAIN) -> list[str]:
        """The keys that are no diagnostics."""
        return [name for name in self.metric_names(at) if not self.catalogue.is_diagnostic(name)]

    def headline_metrics(self, most: int, at: At = PLAIN) -> list[str]:
        """The goals, and of what else was measured as much as fits beside them, in the catalogue's order."""
        shown = self.shown_metrics(at)
        goals = [goal.metric for goal in self.goals if goal.metric in shown]
        more = [name for name in shown if name not in goals][: max(0, most - len(goals))]
        return [name for name in shown if name in goals or name in more]

    def title(self, name: str) -> str:
        """Reader's name of a metric or parameter."""
        return self.catalogue.title(name)

    def title_in_text(self, name: str) -> str:
        """The title inside a sentence: ``precision``, but ``FID``."""
        title = self.title(name)
        return title if title.isupper() else title.lower()

    def best_small(self, at: At = PLAIN) -> tuple[str, float] | None:
        """Title and least value of the first goal that is to be small, such as FID; NaN if no trial has it."""
        for goal in self.goals:
            if goal.direction == "min":
                values = [trial.at(at).get(goal.metric, math.nan) for trial in self.trials]
                return self.title(goal.metric), min((v for v in values if math.isfinite(v)), default=math.nan)
        return None

    def varying(self) -> list[str]:
        """Dotted paths that tell trials apart: those with two values or more among the trials that have them.

        A path that only some trials have, always with the same value, follows from another one that says which.
        """
        return varying(trial.params for trial in self.trials)


def varying(points: Iterable[Mapping[str, Scalar]]) -> list[str]:
    """Dotted paths with two values or more among the points that have them.

    A base is told from what begins at it by being one: what varies, varies among bases or among the others. Which base
    a trial began at follows from its seed.
    """
    values: dict[tuple[bool, str], set[str]] = {}
    points = list(points)
    staged = any(STAGE in point for point in points)
    for point in points:
        for path, value in point.items():
            values.setdefault((staged and STAGE in point, path), set()).add(repr(value))
    return sorted({path for (_, path), seen in values.items() if len(seen) > 1 and path != BASE})
