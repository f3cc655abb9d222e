"""Where a running sweep stands: counts, what ended early and why, the front so far."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.goals import Goal, minimised
from explorer.launch.packing import Pack
from explorer.store.stop import Stop
from trainables.evaluation.reading import Evaluation

__all__ = ["Standing"]

FEW_GOALS = 3
MANY = 5000
"""With more objectives, or more trials on the front, a volume takes too long to be told on the way."""


@dataclass
class Standing:
    """What is known of a sweep on its way.

    Attributes:
        trials: to come in this launch, as far as known, bases among them.
        total: iterations to come, over all trials; fewer where trials are stopped early.
        done: iterations behind, those trained twice counted once.
        finished: trials that ended well, at their end or before.
        stopped: of these, ended early, by the kind of the reason.
        failed: trials that failed, by reason.
        last: what was measured last, by objective.
        memory: the largest share of a card that a pack has used, None without a card.
    """

    goals: Sequence[Goal]
    trials: int
    total: int
    done: int = 0
    finished: int = 0
    stopped: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    last: dict[str, float] = field(default_factory=dict)
    memory: float | None = None
    began: float = field(default_factory=time.monotonic)
    _packs: dict[str, tuple[Pack, int]] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)
    _found: list[dict[str, float]] = field(default_factory=list)
    _front: tuple[int, float] | None = None

    @property
    def ended(self) -> int:
        """Trials that are over."""
        return len(self._ended)

    @property
    def running(self) -> int:
        """Trials in packs that have begun and are not over."""
        return len({t.id for pack, _ in self._packs.values() for t in pack.trials} - self._ended)

    @property
    def packs(self) -> int:
        """Packs with trials that are not over."""
        alive = (any(t.id not in self._ended for t in pack.trials) for pack, _ in self._packs.values())
        return sum(alive)

    @property
    def seconds(self) -> float:
        """Since the sweep began."""
        return time.monotonic() - self.began

    @property
    def share(self) -> float:
        """Of the iterations, or of the trials where that is more: what is stopped early has none to come."""
        behind = self.done / max(self.total, 1)
        return min(1.0, max(behind, self.ended / max(self.trials, 1)))

    @property
    def left(self) -> float | None:
        """Seconds to come if it goes on as it went; None while nobody can tell."""
        return self.seconds * (1 / self.share - 1) if self.share > 0.01 else None

    def start(self, name: str, pack: Pack) -> None:
        """A pack begins; one that another begins again is over under its old name."""
        again = {trial.id for trial in pack.trials}
        for old, (before, _) in list(self._packs.items()):
            if again & {trial.id for trial in before.trials}:
                del self._packs[old]
        self._packs[name] = (pack, 0)

    def advance(self, name: str, reached: int) -> None:
        """The trials of a pack have so many iterations behind them in all; those that are trained again count once."""
        pack, before = self._packs.get(name, (Pack(()), reached))
        self._packs[name] = (pack, max(before, reached))
        self.done += max(0, reached - before)

    def measure(self, trial: str, evaluation: Evaluation, stop: Stop | None) -> None:
        """A trial was measured, or is at fault."""
        if evaluation.fault is not None:
            self.fail([trial], evaluation.fault.reason)
        elif evaluation.metrics:
            found = evaluation.metrics
            self.last = {goal.metric: found[goal.metric] for goal in self.goals if goal.metric in found}
            if evaluation.final and trial not in self._ended:
                self._ended.add(trial)
                self._found.append(self.last)
                self._front = None
                self.finished += 1
                if stop is not None:
                    self.stopped[stop.kind] += 1

    def fail(self, trials: Sequence[str], reason: str) -> list[str]:
        """Trials that failed; those of them that were not over."""
        left = [trial for trial in trials if trial not in self._ended]
        self._ended.update(left)
        if left:
            self.failed[reason] += len(left)
        return left

    def front(self) -> tuple[int, float]:
        """Trials on the front so far, and its volume up to the worst value of each objective; NaN where that is long.

        Computed when trials have ended since it was last asked for: O(N log N) for up to three objectives.
        """
        if self._front is None:
            self._front = self._new_front()
        return self._front

    def _new_front(self) -> tuple[int, float]:
        import moocore
        import numpy as np

        values = minimised(self.goals, self._found)
        values = values[np.isfinite(values).all(axis=1)]
        if not len(values):
            return 0, 0.0
        front = values[moocore.is_nondominated(values, keep_weakly=True)]
        if len(self.goals) > FEW_GOALS or len(front) > MANY:
            return len(front), math.nan
        return len(front), float(moocore.hypervolume(front, ref=values.max(axis=0)))

    def document(self) -> dict[str, Any]:
        """Plain values."""
        size, volume = self.front()
        return {
            "seconds": round(self.seconds, 1),
            "left": None if self.left is None else round(self.left),
            "share": round(self.share, 4),
            "trials": self.trials,
            "finished": self.finished,
            "running": self.running,
            "packs": self.packs,
            "stopped": dict(self.stopped),
            "failed": sum(self.failed.values()),
            "iterations": self.done,
            "front": size,
            "hypervolume": volume if math.isfinite(volume) else None,
            "gpu_memory": self.memory,
            "last": self.last,
        }
