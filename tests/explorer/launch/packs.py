"""Packs as workers are handed them, and what is told on the way."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from explorer.launch.earlier import stopper_mark
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.store.stop import Stop
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, small_sweep
from tests.trainables.datasets.made_sets import make_folder
from trainables.evaluation.reading import Evaluation


def order(
    sweep: Sweep, start: int = 0, end: int | None = None, final: bool = True, finished: bool = False
) -> dict[str, Any]:
    """What a worker is handed."""
    pack = Pack(
        tuple(
            PlannedTrial(i, c, start, end or c.training.iterations, final=final, finished=finished)
            for i, c in configs(sweep).items()
        )
    )
    return {
        "pack": pack.to_json(Orders.of(sweep)),
        "storage": sweep.resources.storage,
        "cpus": 1.0,
        "gpus": 0.0,
        "stopper": stopper_mark(sweep),
    }


Told = list[tuple[int, dict[str, tuple[Evaluation, Stop | None]]]]


def worked(work: PackWork) -> Told:
    """(iteration, evaluations by trial) of every step that had any, to the end."""
    told: Told = []
    while True:
        result = work.step()
        if "payload" in result:
            evaluations = pickle.loads(result["payload"])
            told.append((max(e.iteration for e, _ in evaluations.values()), evaluations))
        if result["done"]:
            return told


def checkpoints(sweep: Sweep) -> dict[str, list[str]]:
    return {
        i: sorted(p.name for p in (Path(sweep.resources.storage or "") / i).iterdir()) for i in configs(sweep)
    }


def said(work: PackWork) -> tuple[Told, list[str]]:
    """What is told of trials and what the user hears, to the end."""
    heard: list[str] = []
    step = work.step

    def listening() -> dict[str, Any]:
        result = step()
        heard.extend(result.get("said", ()))
        return result

    work.step = listening  # type: ignore[method-assign]
    return worked(work), heard


def half_way(sweep: Sweep) -> None:
    """Train a pack to its first evaluation."""
    work = PackWork(order(sweep))
    while "payload" not in work.step():
        pass


def damage(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-300])


def stepped(work: PackWork, until: str) -> tuple[dict[str, Any], dict[str, tuple[Evaluation, Stop | None]]]:
    """The first result that has something, and what was told up to it."""
    told: dict[str, tuple[Evaluation, Stop | None]] = {}
    while True:
        result = work.step()
        told |= pickle.loads(result.get("payload", pickle.dumps({})))
        if result.get(until):
            return result, told


def streamed_sweep(tmp_path: Path, **changes: Any) -> Sweep:
    """A small sweep of images that a worker reads ahead."""
    folder = make_folder(tmp_path / "images", ("cats", "dogs"), each=60)
    dataset = {"name": "folder", "root": str(folder), "size": 4, "held": "stream", "held_out": 0.4}
    evaluation = {"samples": 40, "every": 4, "features": "identity"}
    return small_sweep(tmp_path, dataset={**dataset, "workers": 1}, evaluation=evaluation, **changes)
