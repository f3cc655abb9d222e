"""The bases of a running sweep: which must be trained, which are there, which failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from explorer.errors import UserError
from explorer.launch.earlier import Earlier
from explorer.launch.outcomes import Settled
from explorer.launch.packing import PlannedTrial
from trainables.config import TrialConfig
from trainables.start import Start

__all__ = ["Bases"]


class Bases:
    """What trials begin at. A base is there once it has a checkpoint at its end.

    One that the sweep describes is a trial of the sweep, trained where it is not there; any other must be there.
    """

    def __init__(self, newest: Callable[[str], int], known: Earlier, settled: dict[str, Settled]) -> None:
        """``newest`` tells the iteration of a trial's newest checkpoint, ``known`` what earlier launches came to.

        ``settled``: the trials that are over. One that is needed and whose state is gone is not over.
        """
        self._newest = newest
        self._known = known
        self._settled = settled
        self._configs: dict[str, TrialConfig] = {}
        self._there: set[str] = set()
        self._planned: set[str] = set()
        self._fresh: list[PlannedTrial] = []
        self.tell_over: Callable[[str], None] = lambda base: None

    def __iter__(self) -> Iterator[str]:
        return iter(self._configs)

    def __len__(self) -> int:
        return len(self._configs)

    def __contains__(self, trial: object) -> bool:
        return trial in self._configs

    def __getitem__(self, base: str) -> TrialConfig:
        return self._configs[base]

    def open(self, start: Start | None, needed: bool) -> None:
        """A trial has this start; it is ``needed`` unless the trial goes on from a state of its own."""
        if start is None or start.base in self._planned:
            return
        if start.config is None:
            self._look_for(start.base, needed)
            return
        base, config = start.base, start.config
        end = self._known.stops.get(base, config.training.iterations)
        before = base in self._known.finished
        planned = PlannedTrial(base, config, min(self._newest(base), end), end, finished=before)
        self._configs[base] = config
        if not planned.remaining:
            self._there.add(base)
        over = self._settled.get(base)
        if over is not None and (not over.metrics or not needed or base in self._there):
            return
        self._settled.pop(base, None)
        self._planned.add(base)
        self._fresh.append(planned)

    def _look_for(self, base: str, needed: bool) -> None:
        if self._newest(base):
            self._there.add(base)
        elif needed:
            raise UserError(
                f"start.from must be a trial that has a checkpoint (resources.storage), and {base} has none; "
                "train it first"
            )

    def to_train(self) -> list[PlannedTrial]:
        """Bases that were opened since the last call and are to be trained or read."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def settle(self, base: str, outcome: Settled) -> None:
        """A base is over, trained well or not; ``tell_over`` hears of it."""
        if outcome.metrics:
            self._there.add(base)
        self.tell_over(base)

    def fault(self, trial: PlannedTrial) -> str | None:
        """Why a trial cannot begin: its base failed."""
        start = trial.config.start
        over = None if start is None or not trial.needs_base else self._settled.get(start.base)
        if start is None or over is None or over.metrics:
            return None
        return f"its base {start.base} failed: {over.reason}"

    def hold(self, trial: PlannedTrial) -> bool:
        """Whether a trial must wait for its base."""
        start = trial.config.start
        return start is not None and trial.needs_base and start.base not in self._there

    def with_base(self, trial: PlannedTrial) -> PlannedTrial:
        """A trial that says at which iteration the state of its base lies."""
        start = trial.config.start
        return trial if start is None else replace(trial, base=self._newest(start.base))
