"""What a launch would do: trials, what is done already, packs, expected cost."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from explorer.folders import data_folder, default_tracking_uri
from explorer.goals import parse_goals
from explorer.launch.cost import CPU_FLOPS, flops
from explorer.launch.ledger import Ledger, Settled
from explorer.launch.packing import Pack, make_packs
from explorer.results.store import ResultStore
from explorer.search.source import GridSource, PointSource, RandomSource
from explorer.sweep.sweep import Sweep

__all__ = ["Plan", "Slots", "checkpoint_folder", "make_plan", "make_source", "settled_trials", "tracking_uri"]

_LARGEST_PACK = {"cpu": 64, "gpu": 512}


@dataclass(frozen=True)
class Slots:
    """How many packs run at once, on what."""

    count: int
    gpu: bool

    def pack_limit(self, sweep: Sweep, trials: int) -> int:
        """Trials per pack: spread over all slots, within what a core or a card carries well."""
        spread = max(1, -(-trials // self.count))
        return min(sweep.resources.pack or spread, _LARGEST_PACK["gpu" if self.gpu else "cpu"])


@dataclass(frozen=True)
class Plan:
    """A launch, before it happens.

    Attributes:
        trials: trials of the sweep in all.
        done: of these, finished before.
        diverged: of these, ended before without result; they would end so again.
        resumed: of these, to go on from a checkpoint.
        packs: what would be trained, pack by pack; for an adaptive search the first batch only.
        iterations: training iterations to do, over all trials.
        seconds: rough expected time on CPU cores, None on a GPU, where it would be a guess.
        outside: earlier trials of the sweep that are not in the present plan and stay in its table.
    """

    sweep: str
    trials: int
    done: int
    diverged: int
    resumed: int
    packs: tuple[Pack, ...]
    iterations: int
    seconds: float | None
    outside: int

    def document(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        plain = {k: v for k, v in asdict(self).items() if k != "packs"}
        return {**plain, "packs": [[t.id for t in pack.trials] for pack in self.packs]}


def tracking_uri(sweep: Sweep) -> str:
    """The sweep's own store, else the default one."""
    return sweep.tracking.uri or default_tracking_uri()


def checkpoint_folder(sweep: Sweep) -> Path:
    """Where the trials of all sweeps keep their states."""
    storage = sweep.resources.storage
    return Path(storage).expanduser().resolve() if storage else data_folder() / "checkpoints"


def settled_trials(sweep: Sweep) -> dict[str, Settled]:
    """Trials of the sweep that are over, as the tracking store knows them. O(trials)."""
    store = ResultStore(tracking_uri(sweep), sweep.tracking.experiment)
    if sweep.name not in {info.name for info in store.sweeps()}:
        return {}
    settled = {}
    for trial in store.table(sweep.name):
        if trial.status == "finished":
            settled[trial.id] = Settled(trial.metrics)
        elif trial.status == "failed" and (trial.reason or "").startswith("diverged"):
            settled[trial.id] = Settled({}, trial.reason)
    return settled


def make_source(sweep: Sweep, *, launching: bool) -> PointSource:
    """The sweep's search. A dry run of an adaptive one draws at random instead and touches no study."""
    search = sweep.search
    points = None if search.trials is None else -(-search.trials // len(sweep.seeds))
    if search.name == "grid":
        return GridSource(sweep.space, points)
    assert points is not None
    if search.name == "random" or not launching:
        return RandomSource(sweep.space, points, search.seed)
    from explorer.search.optuna_source import OptunaSource

    # A study belongs to one question: other data, seeds, objectives or space are another.
    asked = json.dumps(
        [sweep.document["space"], dict(sweep.base), sweep.seeds, search.name, search.objectives],
        sort_keys=True,
    )
    return OptunaSource(
        sweep.space,
        search.name,
        points,
        search.seed,
        parse_goals(search.objectives),
        storage=f"sqlite:///{data_folder() / 'studies.db'}",
        study=f"{sweep.name}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}",
    )


def newest_checkpoint(folder: Path) -> Callable[[str], int]:
    """Iteration of a trial's newest checkpoint, 0 if none; reads names only."""

    def newest(trial: str) -> int:
        return max((int(p.stem) for p in (folder / trial).glob("*.pt") if p.stem.isdigit()), default=0)

    return newest


def local_slots(sweep: Sweep) -> Slots:
    """What an embedded Ray would offer on this machine."""
    cpus = (os.cpu_count() or 1) / sweep.resources.cpus
    driver = Path("/proc/driver/nvidia/gpus")
    cards = len(list(driver.iterdir())) if driver.is_dir() else 0
    per_pack = sweep.resources.gpus if sweep.resources.gpus is not None else float(cards > 0)
    if not per_pack:
        return Slots(max(1, int(cpus)), gpu=False)
    return Slots(max(1, int(min(cpus, cards / per_pack))), gpu=True)


def make_plan(sweep: Sweep, settled: Mapping[str, Settled], slots: Slots | None = None) -> Plan:
    """The plan of a sweep on ``slots``, by default those of this machine."""
    slots = slots or local_slots(sweep)
    source = make_source(sweep, launching=False)
    ledger = Ledger(sweep, source, settled, newest_checkpoint(checkpoint_folder(sweep)))
    ledger.refill(source.total, limit=10**9)
    todo = [trial for pack in _drain(ledger) for trial in pack.trials]
    work = sum(t.remaining * flops(t.config) for t in todo)
    adaptive = sweep.search.name in ("tpe", "nsga2")
    return Plan(
        sweep=sweep.name,
        trials=len(ledger.planned),
        done=sum(1 for t in ledger.reused if settled[t].metrics),
        diverged=sum(1 for t in ledger.reused if not settled[t].metrics),
        resumed=sum(1 for t in todo if t.start),
        packs=() if adaptive else tuple(make_packs(todo, slots.pack_limit(sweep, len(todo)))),
        iterations=sum(t.remaining for t in todo),
        seconds=None
        if slots.gpu or not todo
        else work / (CPU_FLOPS * slots.count * max(1.0, sweep.resources.cpus)),
        outside=len(set(settled) - set(ledger.planned)),
    )


def _drain(ledger: Ledger) -> list[Pack]:
    packs = []
    while (pack := ledger.next_pack()) is not None:
        packs.append(pack)
    return packs
