"""From trials to packs: groups of equal shape, starting point and end, of balanced size."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from explorer.goals import Goal
from explorer.stopping import STOPPERS, Stopper
from explorer.sweep.members import build_member, build_plan, build_trial
from explorer.sweep.plugins import Plugin, import_plugins
from explorer.sweep.sweep import Sweep
from trainables.config import TrialConfig
from trainables.evaluation.settings import ReadingPlan

__all__ = ["Orders", "Pack", "PlannedTrial", "make_packs"]


@dataclass(frozen=True)
class PlannedTrial:
    """A trial to be trained from iteration ``start`` of its own checkpoint (0: from its base, or at random) to ``end``.

    There it is read for good, unless ``final`` is false: then it is measured and waits for what becomes of it. One that
    is only read has no checkpoint of its own: it is its base. ``base`` is the iteration at which the state of that
    lies, 0 while it is not known. ``stop``: why it is ended at ``end``, if that is not its own end. One that was
    ``finished`` before and is only to be read again is never trained instead.
    """

    id: str
    config: TrialConfig
    start: int
    end: int
    base: int = 0
    final: bool = True
    stop: str = ""
    finished: bool = False

    @property
    def remaining(self) -> int:
        """Iterations still to go; 0 for a trial that is only read."""
        return max(0, self.end - self.start)

    @property
    def is_read_again(self) -> bool:
        """Whether it was finished before, and nothing of it is trained now."""
        return self.finished and not self.remaining

    @property
    def needs_base(self) -> bool:
        """Whether it has a base, and no state of its own to go on from."""
        return self.config.start is not None and not self.start and (self.end > 0 or self.config.only_read)


@dataclass(frozen=True)
class Orders:
    """What all packs of a sweep share: how trials are read, when they are stopped, which modules to import."""

    plan: ReadingPlan
    stopping: Stopper
    goals: tuple[Goal, ...]
    plugins: tuple[Plugin, ...] = ()

    @staticmethod
    def of(sweep: Sweep) -> Orders:
        """The orders of a sweep."""
        return Orders(sweep.plan, sweep.stopping, sweep.search.goals(), sweep.plugins)


@dataclass(frozen=True)
class Pack:
    """Trials trained side by side."""

    trials: tuple[PlannedTrial, ...]

    def to_json(self, orders: Orders) -> str:
        """Text that crosses processes; see ``from_json``."""
        plain = {
            "plugins": [{"module": p.module, "path": p.path} for p in orders.plugins],
            "evaluation": orders.plan.evaluation.plain(),
            "refinement": [refinement.plain() for refinement in orders.plan.refinements],
            "stopping": orders.stopping.plain(),
            "goals": [[goal.metric, goal.direction] for goal in orders.goals],
            "trials": [
                {
                    "id": t.id,
                    "start": t.start,
                    "end": t.end,
                    "base": t.base,
                    "final": t.final,
                    "stop": t.stop,
                    "finished": t.finished,
                    "config": t.config.plain(),
                }
                for t in self.trials
            ],
        }
        return json.dumps(plain)

    @staticmethod
    def from_json(text: str, shipped: bool = False) -> tuple[Pack, Orders]:
        """What ``to_json`` wrote, validated again; modules with members are imported first.

        Where Ray has ``shipped`` them they are imported by name, not from where they lay on the driver's machine.
        """
        raw: dict[str, Any] = json.loads(text)
        plugins = tuple(Plugin(one["module"], None if shipped else one["path"]) for one in raw["plugins"])
        import_plugins(plugins)
        orders = Orders(
            plan=build_plan(raw["evaluation"], raw["refinement"]),
            stopping=build_member(STOPPERS, raw["stopping"], "stopping"),
            goals=tuple(Goal(metric, direction) for metric, direction in raw["goals"]),
            plugins=plugins,
        )
        trials = tuple(
            PlannedTrial(
                row["id"],
                build_trial(row["config"], row["config"]["seed"]),
                row["start"],
                row["end"],
                row["base"],
                row["final"],
                row["stop"],
                row["finished"],
            )
            for row in raw["trials"]
        )
        return Pack(trials), orders


def make_packs(trials: Iterable[PlannedTrial], limit: int) -> list[Pack]:
    """Packs of at most ``limit`` trials, of one where a model does not stack; sizes in a group differ by one. O(N)."""
    groups: dict[tuple[str, int, int, bool], list[PlannedTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.config.shape(), trial.start, trial.end, trial.final), []).append(trial)
    packs = []
    for members in groups.values():
        most = limit if members[0].config.model.stacks else 1
        count = -(-len(members) // most)
        packs += [Pack(tuple(members[i::count])) for i in range(count)]
    return packs
