"""Where trials wait for one another, and who goes on."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Protocol

from explorer.goals import Goal
from explorer.search.bounds import Bound
from explorer.stopping import Stopper
from explorer.words import counted

__all__ = ["Decision", "Leg", "RungNotes", "Rungs"]


class RungNotes(Protocol):
    """A text that outlives the process."""

    def load(self) -> str | None:
        """What was kept, None if nothing was."""

    def save(self, text: str) -> None:
        """Keep a text, whole or not at all."""


@dataclass(frozen=True)
class Leg:
    """The next part of a trial's way: where it ends, whether for good, and why there if not at its own end."""

    end: int
    final: bool = True
    stop: str = ""


@dataclass
class Decision:
    """Who goes on, each to its next end, and who is ended."""

    go_on: dict[str, Leg] = field(default_factory=dict)
    stop: dict[str, Leg] = field(default_factory=dict)


@dataclass
class _Walker:
    """A trial on its way: which rung comes next; whether it waits there; whether it is over."""

    point: int
    rungs: tuple[int, ...]
    end: int
    level: int = 0
    waits: bool = False
    over: bool = False

    def leg(self) -> Leg:
        ended = self.level >= len(self.rungs)
        return Leg(self.end) if ended else Leg(self.rungs[self.level], final=False)


class Rungs:
    """The rungs of a sweep.

    A point is decided on at a rung once all trials of its cohort have come there or will not come any more. It goes on
    if it is among the survivors of all points that were ever measured at that rung in its cohort and those before.
    What was decided is kept in ``notes`` and holds for later launches.
    """

    def __init__(
        self,
        stopper: Stopper,
        goals: Sequence[Goal],
        cohort: int | None = None,
        notes: RungNotes | None = None,
        bounds: Sequence[Bound] = (),
    ) -> None:
        """``cohort``: so many points in a row are decided on together; None for all of them.

        ``bounds``: what metrics are held to; points that keep to them come before those that do not.
        """
        self._bounds = bounds
        self._stopper = stopper
        self._goals = goals
        self._cohort = cohort
        self._notes = notes
        self._walkers: dict[str, _Walker] = {}
        self._members: dict[int, dict[int, list[str]]] = {}
        self._values: dict[int, dict[str, dict[str, float]]] = {}
        self._kept: dict[int, set[str]] = {}
        self._stopped: dict[str, tuple[int, str]] = {}
        self._read()

    def join(self, number: int, trials: Mapping[str, int]) -> None:
        """A point of the search with its trials, each with the iterations of its whole way. Joining twice is once."""
        cohort = 0 if self._cohort is None else number // self._cohort
        for trial, end in trials.items():
            if trial not in self._walkers:
                walker = _Walker(number, self._stopper.rungs_of(end), end)
                self._walkers[trial] = walker
                self._members.setdefault(cohort, {}).setdefault(number, []).append(trial)

    def leg(self, trial: str, start: int) -> Leg:
        """The next leg of a trial whose newest state is at ``start``; what was decided before holds."""
        walker = self._walkers[trial]
        if trial in self._stopped:
            walker.over = True
            iteration, reason = self._stopped[trial]
            return Leg(iteration, stop=reason)
        while walker.level < len(walker.rungs) and (
            trial in self._kept.get(walker.level, ()) or start > walker.rungs[walker.level]
        ):
            walker.level += 1
        return walker.leg()

    def arrive(self, trial: str, metrics: Mapping[str, float]) -> None:
        """A trial stands at its rung, and was measured there."""
        walker = self._walkers[trial]
        walker.waits = True
        wanted = [goal.metric for goal in self._goals] + [bound.metric for bound in self._bounds]
        found = {metric: metrics.get(metric, math.nan) for metric in wanted}
        self._values.setdefault(walker.level, {})[trial] = found

    def waits(self, trial: str) -> bool:
        """Whether a trial stands at a rung, and nothing is decided of it yet."""
        return trial in self._walkers and self._walkers[trial].waits

    def drop(self, trial: str) -> None:
        """A trial is over, so nobody waits for it."""
        if trial in self._walkers:
            self._walkers[trial].over, self._walkers[trial].waits = True, False

    def decide(self, asked: int | None) -> Decision:
        """Whatever can be decided now. ``asked``: how many numbers the search has used so far; None if that was all."""
        decision = Decision()
        for cohort, points in sorted(self._members.items()):
            if self._cohort is not None and asked is not None and asked < (cohort + 1) * self._cohort:
                continue
            for level in range(max((len(w.rungs) for w in self._of(points)), default=0)):
                self._decide(cohort, level, decision)
        if (decision.go_on or decision.stop) and self._notes is not None:
            self._notes.save(self._text())
        return decision

    def _of(self, points: Mapping[int, Sequence[str]]) -> Iterable[_Walker]:
        return (self._walkers[trial] for trials in points.values() for trial in trials)

    def _decide(self, cohort: int, level: int, decision: Decision) -> None:
        here = self._here(cohort, level)
        if not here:
            return
        before = (w for c, points in self._members.items() if c < cohort for w in self._of(points))
        if any(not w.over and w.level <= level for w in before):
            return  # they come first, lest it depend on who is quicker
        behind = (w for w in self._of(self._members[cohort]) if not w.over and w.level <= level)
        if not all(w.waits and w.level == level for w in behind):
            return
        union = self._measured(level, cohort)
        values = [self._value(level, point) for point in union]
        missed = [self._missed(level, point) for point in union]
        survivors = {union[i] for i in self._stopper.survivors(values, missed)}
        for number, trials in here.items():
            for trial in trials:
                walker = self._walkers[trial]
                walker.waits = False
                if number in survivors:
                    walker.level += 1
                    self._kept.setdefault(level, set()).add(trial)
                    decision.go_on[trial] = walker.leg()
                else:
                    walker.over = True
                    rung = walker.rungs[level]
                    best = counted(len(survivors), "point")
                    reason = f"halved: not among the best {best} of {len(union)} at iteration {rung:,}"
                    self._stopped[trial] = (rung, reason)
                    decision.stop[trial] = Leg(rung, stop=reason)

    def _here(self, cohort: int, level: int) -> dict[int, list[str]]:
        """Points of a cohort whose trials wait at a rung."""
        waiting = {
            number: [t for t in trials if self._walkers[t].waits and self._walkers[t].level == level]
            for number, trials in self._members[cohort].items()
        }
        return {number: trials for number, trials in waiting.items() if trials}

    def _measured(self, level: int, cohort: int) -> list[int]:
        """Points of cohorts up to this one that were measured at a rung, in their order."""
        return sorted(
            number
            for other, points in self._members.items()
            if other <= cohort
            for number, trials in points.items()
            if any(trial in self._values.get(level, {}) for trial in trials)
        )

    def _value(self, level: int, number: int) -> list[float]:
        """A point at a rung: of every objective the mean over its seeds, smaller is better."""
        return [goal.sign * self._mean(level, number, goal.metric, goal.sign) for goal in self._goals]

    def _missed(self, level: int, number: int) -> float:
        """By how much a point misses what its metrics are held to, over all of them."""
        means = ((bound, self._mean(level, number, bound.metric, math.nan)) for bound in self._bounds)
        return sum(max(0.0, bound.excess(mean)) if math.isfinite(mean) else math.inf for bound, mean in means)

    def _mean(self, level: int, number: int, metric: str, worst: float) -> float:
        """Of a metric over the seeds of a point; where none is finite, infinitely far on the side of ``worst``."""
        cohort = 0 if self._cohort is None else number // self._cohort
        trials = [t for t in self._members[cohort][number] if t in self._values[level]]
        finite = [v for t in trials if math.isfinite(v := self._values[level][t].get(metric, math.nan))]
        return fmean(finite) if finite else worst * math.inf

    def _text(self) -> str:
        return json.dumps(
            {
                "values": self._values,
                "kept": {level: sorted(trials) for level, trials in self._kept.items()},
                "stopped": self._stopped,
            }
        )

    def _read(self) -> None:
        text = None if self._notes is None else self._notes.load()
        if text is None:
            return
        try:
            raw: dict[str, Any] = json.loads(text)
            values = {int(level): dict(found) for level, found in raw["values"].items()}
            kept = {int(level): set(trials) for level, trials in raw["kept"].items()}
            stopped = {trial: (int(at), str(why)) for trial, (at, why) in raw["stopped"].items()}
        except (ValueError, TypeError, KeyError, AttributeError):
            return  # of no use: trials at rungs are measured again, and ranked among themselves
        self._values, self._kept, self._stopped = values, kept, stopped
