"""A sweep to which everything happens that happens to sweeps, drawn at random, by our own writers and by others."""

from __future__ import annotations

import random
from collections.abc import Callable

from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.schema import At
from explorer.tracking import Tracker
from explorer.tracking.promotion import write_promotion
from explorer.tracking.repairs import Repairs

__all__ = ["SWEEP", "Changing"]

SWEEP = "changing"
EXPERIMENT = "tests"


class Changing:
    """``step`` does one thing to the sweep, and says what."""

    def __init__(self, uri: str, seed: int) -> None:
        self.uri, self.rng = uri, random.Random(seed)
        self.client = Connection(uri).client
        self.born = 0
        self._launch()

    @property
    def parent(self) -> str:
        """The sweep's own run."""
        return self._runs("tags.`tradeoff.kind` = 'sweep'")[0]

    def _launch(self) -> None:
        self.tracker = Tracker(self.uri, EXPERIMENT)
        self.tracker.open_sweep(SWEEP, {"fid": "min"}, "", "name: changing", '{"metrics": []}')

    def _runs(self, where: str, trash: bool = False) -> list[str]:
        place = self.client.get_experiment_by_name(EXPERIMENT).experiment_id
        return [run.info.run_id for run in self.client.search_runs([place], where, 2 if trash else 1)]

    def _some(self, status: str) -> str | None:
        """A trial's identity, of a status."""
        children = self.tracker._children
        return self.rng.choice(
            [None, *(t for t, child in sorted(children.items()) if child.status == status)]
        )

    def _a_run(self, trash: bool = False) -> str | None:
        return self.rng.choice([None, *sorted(self._runs("tags.`tradeoff.kind` = 'trial'", trash))])

    def step(self, without: tuple[str, ...] = ()) -> str:
        """One thing, whichever; what is ``without`` does not happen."""
        acts: dict[str, Callable[[], object]] = {
            name: getattr(self, name)
            for name in ("bear", "bear", "measure", "finish", "fail", "again", "trash", "restore", "relaunch",
                         "promote", "orphan", "tag")
            if name not in without
        }  # fmt: skip
        name = self.rng.choice(sorted(acts))
        acts[name]()
        return name

    def bear(self) -> None:
        trials = [f"{self.born + i:012x}" for i in range(self.rng.randint(1, 3))]
        self.born += len(trials)
        self.tracker.start([(trial, {"seed": int(trial, 16), "lam": self.rng.random()}) for trial in trials])

    def measure(self) -> None:
        if trial := self._some("running"):
            values = {"fid": self.rng.random(), "obrs/2/fid": self.rng.choice([1.0, float("nan"), 1e300])}
            self.tracker.log(trial, self.rng.randint(1, 9), values)

    def finish(self) -> None:
        if trial := self._some("running"):
            self.tracker.log(trial, 10, {"fid": self.rng.random()}, {At("none", 1.0): "m"})
            self.tracker.finish(trial)

    def fail(self) -> None:
        if trial := self._some("running"):
            self.tracker.fail(trial, "out of memory")

    def again(self) -> None:
        """A finished trial is read again."""
        if trial := self._some("finished"):
            self.tracker.start([(trial, {})], only_read={trial})
            self.tracker.log(trial, 10, {"fid": self.rng.random()}, {At("none", 1.0): str(self.rng.random())})
            self.tracker.finish(trial)

    def trash(self) -> None:
        if run := self._a_run():
            Repairs(self.uri).trash(run)
            self._launch()

    def restore(self) -> None:
        if run := self._a_run(trash=True):
            self.client.restore_run(run)
            self._launch()

    def relaunch(self) -> None:
        self.tracker.close_sweep(interrupted=self.rng.random() < 0.5)
        self._launch()

    def promote(self) -> None:
        if run := self._a_run():
            write_promotion(self.uri, run, "best")

    def orphan(self) -> None:
        """A run that lost its sweep is given back, old as it is."""
        if run := self._a_run():
            self.client.set_tag(run, schema.PARENT, "nobody")
            self.client.set_tag(self.parent, schema.REVISION, str(self.rng.random()))
            if self.rng.random() < 0.7:
                Repairs(self.uri).adopt(run, self.parent)
            self._launch()

    def tag(self) -> None:
        """What somebody sets by hand."""
        if run := self._a_run():
            self.client.set_tag(run, schema.REASON, str(self.rng.random()))
