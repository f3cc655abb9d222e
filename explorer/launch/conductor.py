"""Keeps lanes at work: hands out packs, takes in what they tell, and deals with those that are lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from explorer.errors import UserError
from explorer.launch.engine.engine import EngineLost
from explorer.launch.engine.messages import (
    Decide,
    Died,
    Event,
    Failed,
    Put,
    Request,
    Stop,
    Taken,
    Told,
    Verdict,
)
from explorer.launch.faults import Death
from explorer.launch.inbox import Inbox
from explorer.launch.interrupts import Interrupts
from explorer.launch.ledger import Ledger
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.launch.slots import Slots
from explorer.words import counted

__all__ = ["Conductor", "Limits", "Works"]

PATIENCE = 0.5
"""Seconds after which a driver that hears nothing looks round."""
SAVING = 120.0
"""Seconds that packs have to save where they are; an evaluation, or a part of it, is ended first."""
MOST_LOSSES = 3
"""Times that Ray may be lost in a row without a result in between."""


class Works(Protocol):
    """What packs run on: Ray in a process of its own."""

    slots: Slots

    def send(self, request: Request) -> None:
        """Ask for something."""

    def next(self, patience: float) -> Event | None:
        """What happened; raises EngineLost when nothing can any more."""

    def close(self) -> None:
        """End it in order."""

    def kill(self) -> None:
        """End it now."""


@dataclass(frozen=True)
class Limits:
    """What a sweep bears with.

    Attributes:
        retries: how often a trial is started again after the process that trained it was lost.
        failures: how many failed trials end the sweep, None for however many.
    """

    retries: int
    failures: int | None = None


@dataclass
class _Flight:
    """A pack that was handed out; ``lane`` is who works on it."""

    pack: Pack
    lane: str | None = None


@dataclass
class Conductor:
    """One launch, from the first pack to the last.

    Attributes:
        refill: asks the search for more points, as it suits so many slots; returns how many it gave.
        log: where Ray's own words are.
        halted: why the sweep was ended before all was done, if it was.
    """

    ledger: Ledger
    inbox: Inbox
    orders: Orders
    settings: dict[str, Any]
    limits: Limits
    refill: Callable[[Slots], int]
    log: Path
    halted: str | None = None
    _flights: dict[str, _Flight] = field(default_factory=dict)
    _attempts: Counter[str] = field(default_factory=Counter)
    _numbers: int = 0
    _losses: int = 0

    def run(self, open_works: Callable[[], Works], first: Works, interrupts: Interrupts) -> None:
        """Until nothing is left, or someone asked to stop; Ray that is lost is started again with ``open_works``."""
        works = first
        while True:
            try:
                self._work(works, interrupts)
                works.close()
                return
            except EngineLost as lost:
                works.kill()
                self._lose(lost.death)
                if interrupts.asked or (self.ledger.exhausted and not self.ledger.holding):
                    return
                works = open_works()
            except BaseException:
                works.kill()
                raise

    def _work(self, works: Works, interrupts: Interrupts) -> None:
        while not interrupts.asked and self.halted is None:
            self._feed(works)
            if not self._flights:
                return
            event = works.next(PATIENCE)
            if event is not None:
                self._hear(works, event)
        self._stop(works)

    def _feed(self, works: Works) -> None:
        """As many packs wait at the lanes as there are lanes, so that none of them has to wait for us."""
        waiting = sum(1 for flight in self._flights.values() if flight.lane is None)
        while waiting < works.slots.count and self.ledger.close_if_enough() is None:
            pack = self.ledger.next_pack()
            while pack is None and not self.ledger.holding and not self.ledger.exhausted:
                if not self.refill(works.slots):
                    break  # the search waits for answers
                pack = self.ledger.next_pack()
            if pack is None:
                return
            self._numbers += 1
            name = f"pack-{self._numbers}"
            self._flights[name] = _Flight(pack)
            works.send(Put(name, {"pack": pack.to_json(self.orders), **self.settings}))
            waiting += 1

    def _hear(self, works: Works, event: Event) -> None:
        if isinstance(event, Taken) and event.pack in self._flights:
            flight = self._flights[event.pack]
            flight.lane = event.lane
            self.inbox.begin(event.pack, flight.pack)
        elif isinstance(event, Told) and event.pack in self._flights:
            self._take(works, event)
        elif isinstance(event, Failed | Died):
            death = event.death if isinstance(event, Died) else Death("process", event.reason)
            for name in self._lost_with(event):
                self._start_again(name, death)

    def _lost_with(self, event: Failed | Died) -> list[str]:
        """The packs that an event has ended: one, or none."""
        if isinstance(event, Failed):
            return [name for name in self._flights if name == event.pack]
        return [name for name, flight in self._flights.items() if flight.lane == event.lane]

    def _take(self, works: Works, told: Told) -> None:
        result = told.result
        if "saved" in result:
            del self._flights[told.pack]
            return
        self._losses = 0
        self.inbox.take(told.pack, result)
        self._halt_if_too_many_failed()
        self._decide(works, told)
        if result["done"]:
            del self._flights[told.pack]

    def _decide(self, works: Works, told: Told) -> None:
        """Whether trials that stand at a rung go on: here those of this pack, the others in packs of their own."""
        waiting = set(told.result.get("waiting", ()))
        decision = self.ledger.arrive(self.inbox.measured(waiting)) if waiting else self.ledger.decide()
        self.ledger.go_on([t for t in (*decision.go_on, *decision.stop) if t not in waiting])
        if waiting:
            go_on = {t: (leg.end, leg.final) for t, leg in decision.go_on.items() if t in waiting}
            stop = {t: leg.stop for t, leg in decision.stop.items() if t in waiting}
            works.send(Decide(told.pack, Verdict(go_on, stop)))

    def _start_again(self, name: str, death: Death) -> None:
        """The process of a pack was lost: its trials go on in another, those that were lost too often are given up.

        A node that is lost is no trial's fault. What ran out of memory, or was lost twice, goes on in halves, so that
        what cannot be borne is alone in the end.
        """
        pack = self._flights.pop(name).pack
        left = [trial for trial in pack.trials if trial.id not in self.ledger.settled]
        if death.kind != "node":
            self._attempts.update(trial.id for trial in left)
        over = [trial for trial in left if self._attempts[trial.id] > self.limits.retries]
        again = [trial for trial in left if self._attempts[trial.id] <= self.limits.retries]
        if over:
            self.inbox.give_up(over, death)
            self._halt_if_too_many_failed()
            decision = self.ledger.decide()  # others may have waited for these at a rung
            self.ledger.go_on([*decision.go_on, *decision.stop])
        if again:
            halves = len(again) > 1 and (
                death.kind == "memory" or any(self._attempts[trial.id] > 1 for trial in again)
            )
            self.ledger.put_back(_parts(again, 2 if halves else 1))
            self.inbox.start_again(again, death, halves)

    def _halt_if_too_many_failed(self) -> None:
        most = self.limits.failures
        if most is not None and self.inbox.failures > most:
            failed = counted(self.inbox.failures, "trial")
            self.halted = f"{failed} failed, more than resources.failures allows ({most})"

    def _lose(self, death: Death) -> None:
        """Ray is gone, with all packs that it had."""
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise UserError(
                f"{death.reason}, {self._losses} times in a row without a result in between; what is finished is kept, "
                f"and Ray's own words are in {self.log}"
            )
        for name, flight in list(self._flights.items()):
            if flight.lane is None and death.kind == "node":
                self.ledger.put_back([flight.pack.trials])
                del self._flights[name]
            else:  # where memory is short nobody knows whose fault it is
                self._start_again(name, death)
        if not self.ledger.exhausted or self.ledger.holding:
            self.inbox.say(f"Ray is started again: {death.reason}")

    def _stop(self, works: Works) -> None:
        """Have every pack that has begun save where it is; those that have not are forgotten."""
        works.send(Stop())
        for name in [n for n, flight in self._flights.items() if flight.lane is None]:
            del self._flights[name]
        deadline = time.monotonic() + SAVING
        while self._flights and time.monotonic() < deadline:
            event = works.next(PATIENCE)
            if isinstance(event, Told):
                self._take_last(event)
            elif isinstance(event, Died | Failed):
                for name in self._lost_with(event):
                    del self._flights[name]

    def _take_last(self, told: Told) -> None:
        if told.pack not in self._flights:
            return
        if "saved" not in told.result:
            self.inbox.take(told.pack, told.result)
        if told.result.get("saved") or told.result.get("done"):
            del self._flights[told.pack]


def _parts(trials: Sequence[PlannedTrial], count: int) -> list[tuple[PlannedTrial, ...]]:
    return [tuple(trials[i::count]) for i in range(count)]
