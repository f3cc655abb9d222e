"""A campaign: sweeps of every search, faults at random moments, and the books looked at after each launch."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tests.campaign.books import Books, Page
from tests.campaign.faults import KINDS, Fault, Kind, Scene
from tests.campaign.stage import Command, Stage

__all__ = ["SEARCHES", "Campaign", "Tally"]

LONGEST = 300.0
"""Seconds in which a launch must end after its last fault."""
TOGETHER = 3
"""Faults in one launch, at most, beside one that ends it."""
GAP = 0.4
"""Of the latest moment of a first fault: how much later the next comes, at most."""
FINAL = 3
"""Launches without faults that a sweep may need to be complete: in the first a trial may fail for what came before."""

SWEEP = """
plugins: [saboteur]
model: {{generator: [16], critic: [16, 16]}}
objective: {{name: faulty, folder: "{orders}"}}
refinement: {{budgets: [1, 2]}}
training: {{iterations: {iterations}, batch_size: 64}}
evaluation:
  samples: 200
  every: {every}
  metrics: [neighbours, frechet, {{name: grumble, folder: "{orders}"}}]
resources: {{pack: 2, retries: 4}}
{more}
"""

SEARCHES = {
    "grid": """
space: {objective.lam: [0.2, 1, 5]}
stopping: {name: halving}
""",
    "tpe": """
space: {objective.lam: {log_range: [0.05, 20]}, training.generator_lr: {log_range: [3.0e-4, 3.0e-3]}}
search: {name: tpe, objectives: {precision: max, recall: max}, batch: 3}
""",
    "nsga2": """
space: {objective.lam: {log_range: [0.05, 20]}, training.generator_lr: {log_range: [3.0e-4, 3.0e-3]}}
search: {name: nsga2, objectives: {precision: max, recall: max}, batch: 4, population: 4}
""",
}


@dataclass
class Tally:
    """What was done and what came of it.

    Attributes:
        struck: faults by kind.
        wrong: every promise that was broken, a sentence each.
    """

    struck: Counter[str] = field(default_factory=Counter)
    launches: int = 0
    trials: int = 0
    finished: int = 0
    diverged: int = 0
    outside: int = 0
    wrong: list[str] = field(default_factory=list)


class Campaign:
    """One sweep with a search, and the faults that it has to bear.

    Args:
        size: trials at first.
        latest: seconds after which the first fault of a launch comes at the latest; half of that once it came too late.
    """

    def __init__(
        self,
        stage: Stage,
        search: str,
        kinds: Sequence[str],
        dice: random.Random,
        say: Callable[[str], None],
        iterations: int = 600,
        size: int = 6,
        latest: float = 25.0,
    ) -> None:
        self._stage, self._search, self._dice, self._say = stage, search, dice, say
        self._left = list(kinds)
        dice.shuffle(self._left)
        self._size = size
        self._step = size
        self._latest = latest
        self._file = stage.folder / f"{search}.yaml"
        words = {"orders": stage.orders, "iterations": iterations, "every": iterations // 6}
        self._file.write_text(SWEEP.format(**words, more=SEARCHES[search]))
        self._books = Books(stage.home / "mlflow.db", search)
        self.tally = Tally()

    def run(self) -> Tally:
        """All faults, then launches without any; every promise is looked at after each."""
        while self._left:
            before = len(self._left)
            command = self._launch(self._drawn())
            if len(self._left) == before and command.code == 0:  # all was done before the fault came
                self._size += self._step  # more trials, which is a case of its own
                self._latest /= 2
        for _ in range(FINAL):
            command = self._launch([])
            page = self._books.page()
            if command.code == 0 and not _unfinished(page):
                break
        self._finish(command)
        return self.tally

    def _drawn(self) -> list[Fault]:
        """The next faults that one launch can bear together; one that ends it comes last."""
        drawn: list[Kind] = []
        where = KINDS[self._left[0]].where
        for name in list(self._left):
            kind = KINDS[name]
            if kind.where not in (where, "alone") or (where == "cluster" and name in ("raylet", "gcs")):
                continue
            if kind.name in {one.name for one in drawn}:
                continue
            if kind.lethal:
                if not any(one.lethal for one in drawn):
                    drawn.append(kind)
            elif sum(not one.lethal for one in drawn) < TOGETHER:
                drawn.append(kind)
        drawn.sort(key=lambda kind: kind.lethal)
        moments = [
            self._dice.uniform(0, self._latest * (GAP if number else 1)) for number in range(len(drawn))
        ]
        return [
            Fault(kind, after, self._dice.uniform(1, 20)) for kind, after in zip(drawn, moments, strict=True)
        ]

    def _words(self, faults: Sequence[Fault]) -> list[str]:
        wheres = {fault.kind.where for fault in faults}
        words = ["sweep", str(self._file), "--json"]
        size = f"seeds={max(1, self._size // 3)}" if self._search == "grid" else f"search.trials={self._size}"
        words += ["--set", size]
        if "server" in wheres:
            words += ["--set", f"tracking.uri={self._stage.server_uri}"]
        if "cluster" in wheres:
            words += ["--address", self._stage.address]
        return words

    def _launch(self, faults: Sequence[Fault]) -> Command:
        self.tally.launches += 1
        if any(fault.kind.where == "server" for fault in faults) and not self._books.page().parents:
            self._say("a launch first, so that artifacts have a place that both ways to the store know")
            self._launch([])
        command = self._stage.launch(*self._words(faults))
        scene = Scene(self._stage, command, self._dice)
        struck, heals = self._strike(scene, faults)
        ended = command.wait(LONGEST)
        for _, heal in heals:
            heal(scene)
        if not ended:
            self._wrong(f"a launch hangs after {', '.join(struck) or 'no fault'}")
            command.kill()
        for name in self._ignored(struck):
            struck.remove(name)
        for name in struck:
            self._left.remove(name)
        self.tally.struck.update(struck)
        self._judge(command, struck, scene.killed)
        took = time.monotonic() - command.began
        left = len(self._left)
        self._say(
            f"{self._search}: {', '.join(struck) or 'no fault'}; exit {command.code}, {took:.0f} s, {left} faults left"
        )
        return command

    def _strike(
        self, scene: Scene, faults: Sequence[Fault]
    ) -> tuple[list[str], list[tuple[float, Callable[[Scene], None]]]]:
        """Fault after fault while the launch runs → those that struck, and what is still to be healed."""
        struck: list[str] = []
        heals: list[tuple[float, Callable[[Scene], None]]] = []
        for fault in faults:
            self._wait(scene, fault.after, heals)
            if not scene.command.running:
                break
            if fault.kind.lethal:
                needs = fault.kind.needs
                if needs is not None and not scene.awaits(partial(needs, self._stage)):
                    break
                scene.command.kill()
                scene.killed = True
            if fault.kind.strike(scene):
                struck.append(fault.kind.name)
                if fault.kind.heal is not None:
                    heals.append((time.monotonic() + fault.lasts, fault.kind.heal))
            elif fault.kind.lethal and "driver" in self._left:
                struck.append("driver")  # which it was, all the same
        while heals and scene.command.running:
            self._wait(scene, 0.5, heals)
        return struck, heals

    def _wait(self, scene: Scene, seconds: float, heals: list[tuple[float, Callable[[Scene], None]]]) -> None:
        """Meanwhile what is due is healed."""
        until = time.monotonic() + seconds
        while True:
            for due in [one for one in heals if one[0] <= time.monotonic()]:
                heals.remove(due)
                due[1](scene)
            if time.monotonic() >= until or not scene.command.running:
                return
            time.sleep(0.1)

    def _ignored(self, struck: Sequence[str]) -> list[str]:
        """Orders that nobody came to carry out."""
        ignored = []
        for name, times in (("nan", 1), ("raise", 2)):
            order = self._stage.orders / f"{name}.{times}"
            if name in struck and order.exists():
                ignored.append(name)
            for rest in self._stage.orders.glob(f"{name}.*"):
                rest.unlink()
        return ignored

    def _judge(self, command: Command, struck: Sequence[str], lethal: bool) -> None:
        """What must hold after every launch."""
        after = f"after {', '.join(struck) or 'no fault'}"
        left = self._stage.left_behind()
        if left:
            self._wrong(f"{after}: {len(left)} processes are left behind: {', '.join(left.values())[:300]}")
        said = command.said()
        if "Traceback" in said:
            self._wrong(f"{after}: a traceback: {said[said.index('Traceback') :][-400:]}")
        page = self._books.page()
        for fault in self._books.faults(page):
            self._wrong(f"{after}: {fault}")
        if lethal:
            return
        stuck = [trial for trial, status in page.statuses.items() if status == "RUNNING"]
        may_end = any(KINDS[name].may_end for name in struck)
        if command.code == 0:
            if stuck or "RUNNING" in page.parents:
                self._wrong(f"{after}: {len(stuck)} trials are marked RUNNING that nobody trains")
        elif not may_end or command.code not in (1, 2):
            self._wrong(f"{after}: exit {command.code}: {said[-300:]}")
        elif not said.strip():
            self._wrong(f"{after}: exit {command.code} without a word")

    def _finish(self, command: Command) -> None:
        """What must hold in the end."""
        page, told = self._books.page(), command.told()
        diverged = _diverged(page)
        statuses = Counter(page.statuses.values())
        self.tally.finished, self.tally.diverged = statuses["FINISHED"], len(diverged)
        self.tally.trials, self.tally.outside = len(page.statuses), statuses["KILLED"]
        if set(page.parents) != {"FINISHED"}:
            self._wrong(f"the sweep's run is {page.parents} in the end")
        if statuses["RUNNING"]:
            self._wrong(f"{statuses['RUNNING']} trials are marked RUNNING in the end")
        if told.get("finished", 0) + told.get("failed", 0) != told.get("trials", -1):
            self._wrong(f"the sweep is not complete in the end: {told}")
        failed = [t for t, status in page.statuses.items() if status == "FAILED" and t not in diverged]
        if failed:
            self._wrong(f"{len(failed)} trials failed for good: {page.reasons[failed[0]]}")

    def _wrong(self, what: str) -> None:
        self.tally.wrong.append(f"{self._search}: {what}")
        self._say(f"WRONG {self._search}: {what}")


def _diverged(page: Page) -> set[str]:
    return {trial for trial, why in page.reasons.items() if why.startswith("diverged")}


def _unfinished(page: Page) -> set[str]:
    """Trials that a further launch may work on; some may lie outside of what the sweep asks for by now."""
    return {trial for trial, status in page.statuses.items() if status != "FINISHED"} - _diverged(page)
