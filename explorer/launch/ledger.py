"""The books of a running sweep: which points were asked, which trials and bases they need, what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.launch.bases import Bases
from explorer.launch.earlier import Earlier
from explorer.launch.outcomes import Settled
from explorer.launch.packing import Pack, PlannedTrial, make_packs
from explorer.launch.rungs import Decision, Leg, Rungs
from explorer.search import of_search
from explorer.search.points.source import Asked, PointSource
from explorer.sweep.plugins import of_members
from explorer.sweep.sweep import Sweep
from trainables.config import TrialConfig

__all__ = ["Ledger"]


@dataclass
class _OpenPoint:
    """A point whose trials are not all over."""

    number: int
    waiting: set[str]
    results: list[Mapping[str, float]] = field(default_factory=list)
    answered: bool = False


class Ledger:
    """Turns points into packs and results into answers to the search.

    A trial that several points need (a grid may name it twice) is trained once. Trials settled before, known by
    identity, are not trained again but do count as results; those that were trained but lack a reading are only read.

    A base is trained once, before the trials that begin at it: their packs are held back until it is there. If it
    fails, they fail too. It is no point of the space: the search neither counts it nor hears of it.

    Attributes:
        planned: the trials of the sweep so far.
        bases: the bases that the sweep trains itself.
        reused: trials that were over before.
        doomed: trials that failed with their base.
        tell_doomed: hears of each of these, with the reason.
        tell_moved: hears of trials whose newest state may be another than when it was last asked for.
    """

    def __init__(
        self,
        sweep: Sweep,
        source: PointSource,
        known: Earlier,
        start: Callable[[str], int],
        rungs: Rungs | None = None,
    ) -> None:
        """``start`` tells the iteration of a trial's newest checkpoint, 0 if it has none.

        ``rungs``: where trials wait for one another; without them every trial goes to its end, as in a plan.
        """
        self._sweep = sweep
        self._source = source
        self._start = start
        self._finished = known.finished
        self._stops = known.stops
        self.settled: dict[str, Settled] = dict(known.settled)
        self.planned: dict[str, TrialConfig] = {}
        self.bases = Bases(start, known, self.settled)
        self.reused: set[str] = set()
        self.doomed: set[str] = set()
        self.tell_moved: Callable[[str], None] = lambda trial: None
        self.tell_doomed: Callable[[PlannedTrial, str], None] = lambda trial, reason: None
        self._awaiting: dict[str, list[_OpenPoint]] = {}
        self._budget = sweep.search.trials
        self._rungs = rungs
        self._packs: list[Pack] = []
        self._limit = 1
        self._begun: set[str] = set()
        self._found: list[Mapping[str, float]] = []
        self._closed: str | None = None

    @of_members()
    def refill(self, points: int, limit: int, base_limit: int | None = None) -> int:
        """Ask the search for more points and pack their trials, ``base_limit`` bases to a pack.

        Returns how many points it gave: none when it is over, and while it waits for answers.
        """
        with of_search(self._sweep.search):
            asked = self._source.ask(points)
        self._limit = limit
        fresh: dict[str, PlannedTrial] = {}
        for one in asked:
            for trial in self._open(one):
                fresh.setdefault(trial.id, trial)
        self._packs += make_packs(self.bases.to_train(), base_limit or limit)
        self._packs += make_packs(fresh.values(), limit)
        return len(asked)

    def _open(self, asked: Asked) -> Iterable[PlannedTrial]:
        configs = self._within_budget(
            {config.identity(): config for config in self._sweep.repeats(asked.point)}
        )
        point = _OpenPoint(asked.number, set(configs))
        fresh = [trial for trial in configs if trial not in self.planned]
        self.planned.update(configs)
        if self._rungs is not None:
            self._rungs.join(asked.number, {t: c.training.iterations for t, c in configs.items()})
        for trial, config in configs.items():
            if trial in self.settled:
                self._drop(trial)
                self.bases.open(config.start, needed=False)
                if trial not in self.reused | self.doomed:
                    self._note(trial)
                self.reused |= {trial} - self.doomed
                self._count(point, trial)
                continue
            self._awaiting.setdefault(trial, []).append(point)
            if trial in fresh:
                planned = self._planned(trial)
                self.bases.open(config.start, planned.needs_base)
                reason = self.bases.fault(planned)
                if reason is None:
                    yield planned
                else:
                    self._doom(planned, reason)
        self._answer(point)

    def _planned(self, trial: str) -> PlannedTrial:
        """The next leg of a trial, from its newest state."""
        config = self.config(trial)
        newest, end = self._start(trial), self._stops.get(trial, config.training.iterations)
        walks = self._rungs is not None and trial not in self._stops and trial not in self.bases
        leg = self._rungs.leg(trial, newest) if walks and self._rungs is not None else Leg(end)
        return PlannedTrial(
            trial,
            config,
            min(newest, leg.end),
            leg.end,
            final=leg.final,
            stop=leg.stop,
            finished=trial in self._finished,
        )

    def put_back(self, parts: Iterable[Sequence[PlannedTrial]]) -> None:
        """Trials of packs that were lost go on from their newest states, each part in packs of its own.

        What stands at a rung is saved there, and goes on when that is decided.
        """
        for part in parts:
            lost = [trial.id for trial in part if self._rungs is None or not self._rungs.waits(trial.id)]
            self._packs[0:0] = make_packs([self._moved(trial) for trial in lost], self._limit)

    def arrive(self, found: Mapping[str, Mapping[str, float]]) -> Decision:
        """Trials stand at a rung, measured; → what is decided of these and of all that wait, if it can be."""
        assert self._rungs is not None  # else nobody waits
        for trial, metrics in found.items():
            self._rungs.arrive(trial, metrics)
        return self.decide()

    def decide(self) -> Decision:
        """What can be decided at rungs now that somebody came there, or will not come any more."""
        if self._rungs is None:
            return Decision()
        return self._rungs.decide(None if self._over else self._source.numbered)

    def go_on(self, trials: Iterable[str]) -> None:
        """Trials that waited at a rung are packed for their next leg, or to be read where they are ended."""
        self._packs += make_packs([self._moved(trial) for trial in trials], self._limit)

    def _moved(self, trial: str) -> PlannedTrial:
        self.tell_moved(trial)
        return self._planned(trial)

    def _note(self, trial: str) -> None:
        """What a trial found counts towards the end of the sweep; a base is no point of the space."""
        if trial in self.planned and self.settled[trial].metrics:
            self._found.append(self.settled[trial].metrics)

    def _drop(self, trial: str) -> None:
        if self._rungs is not None:
            self._rungs.drop(trial)

    def _within_budget(self, configs: dict[str, TrialConfig]) -> dict[str, TrialConfig]:
        """``search.trials`` counts trials, so the seeds of the last point may be cut short."""
        if self._budget is None:
            return configs
        room = max(0, self._budget - len(self.planned))
        new = [trial for trial in configs if trial not in self.planned][:room]
        return {trial: config for trial, config in configs.items() if trial in self.planned or trial in new}

    @property
    def points(self) -> int:
        """How many points the search has in all."""
        return self._source.total

    def close_if_enough(self) -> str | None:
        """Why no further trial need begin, if the stopper says so: those that have not are planned no more."""
        if self._closed is None:
            goals = self._sweep.search.goals()
            self._closed = self._sweep.stopping.enough(self._found, goals)
            if self._closed is not None:
                self._packs = []
                for trial in [t for t in self.planned if t not in self._begun and t not in self.settled]:
                    del self.planned[trial]
        return self._closed

    @property
    def note(self) -> str:
        """Why the search ended before its time, as a sentence; empty where it did not."""
        return self._source.note

    def next_pack(self) -> Pack | None:
        """A pack to train, or None if there is none at the moment; see ``holding``."""
        for index, pack in enumerate(self._packs):
            if not any(self.bases.hold(trial) for trial in pack.trials):
                del self._packs[index]
                self._begun |= {trial.id for trial in pack.trials}
                return Pack(tuple(map(self.bases.with_base, pack.trials)))
        return None

    @property
    def holding(self) -> bool:
        """Packs wait; if there is no next one, for their bases."""
        return bool(self._packs)

    def drain(self) -> list[Pack]:
        """All packs that wait, also for their bases."""
        packs, self._packs = self._packs, []
        return packs

    @property
    def exhausted(self) -> bool:
        """No pack waits and the search has no more points to give."""
        return self._over and not self._packs

    @property
    def _over(self) -> bool:
        """No more points will come: the search has none, or nobody asks it any more."""
        return self._closed is not None or self._source.over

    def settle(self, trial: str, outcome: Settled) -> None:
        """A trial is over; points that wait for it hear of it."""
        if trial in self.settled:
            return
        self.settled[trial] = outcome
        self._note(trial)
        self._drop(trial)
        if trial in self.bases:
            self.bases.settle(trial, outcome)
            self._drop_doomed()
        for point in self._awaiting.pop(trial, ()):
            self._count(point, trial)
            self._answer(point)

    def _drop_doomed(self) -> None:
        """Trials whose base failed leave the packs that wait."""
        packs, self._packs = self._packs, []
        for pack in packs:
            reasons = {trial: self.bases.fault(trial) for trial in pack.trials}
            left = tuple(trial for trial, reason in reasons.items() if reason is None)
            self._packs += [Pack(left)] if left else []
            for trial, reason in reasons.items():
                if reason is not None:
                    self._doom(trial, reason)

    def _doom(self, trial: PlannedTrial, reason: str) -> None:
        self.doomed.add(trial.id)
        self.tell_doomed(trial, reason)
        self.settle(trial.id, Settled({}, reason))

    def _count(self, point: _OpenPoint, trial: str) -> None:
        point.waiting.discard(trial)
        if self.settled[trial].metrics:
            point.results.append(self.settled[trial].metrics)

    def _answer(self, point: _OpenPoint) -> None:
        if not point.waiting and not point.answered:
            point.answered = True
            self._source.tell(point.number, point.results)

    def config(self, trial: str) -> TrialConfig:
        """What is trained under an identity: a planned trial, or a base."""
        return self.planned[trial] if trial in self.planned else self.bases[trial]

    def unsettled(self, bases: bool = True) -> list[str]:
        """Planned trials that are not over, and bases unless they are not asked for."""
        return [t for t in (*(self.bases if bases else ()), *self.planned) if t not in self.settled]
