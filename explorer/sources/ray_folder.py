"""A folder of Ray Tune's results as a source: every experiment in it is a sweep, every folder in that a trial."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import ClassVar

from explorer.errors import UserError, brief, root_cause
from explorer.results.catalogue import built_in
from explorer.results.runs import SweepInfo
from explorer.results.table import Status, Trial, TrialTable
from explorer.results.watch import renewed
from explorer.sources.ray_trials import FILES, States, is_trial, read_states, read_trial, reported
from explorer.sources.source import Kind, Source, guessed_goals
from explorer.store.foreign import clean
from explorer.store.whole import Point

__all__ = ["RaySource", "is_ray_folder"]

MOST_TRIALS = 20_000
MOST_EXPERIMENTS = 500
MOST_LOOKED = 200
"""Folders that are looked into to find out what the one around them is."""


class RaySource(Source):
    """The experiments of a folder: its own, or those of the folders in it."""

    kind: ClassVar[Kind] = "ray"

    def __init__(self, address: str, folder: Path) -> None:
        super().__init__(address)
        self._folder = folder

    def sweeps(self) -> dict[str, SweepInfo]:
        """Experiments by their folder's name, the newest first."""
        found = {}
        for folder in _experiments(self._folder):
            states = read_states(folder, [])
            trials = [trial.name for trial in _trials(folder)]
            running = any(states.statuses.get(name) == "running" for name in trials)
            status: Status = "running" if running else "finished"
            place = str(folder.relative_to(self._folder))
            found[clean(folder.name)] = SweepInfo(
                clean(folder.name), "", status, len(trials), _changed(folder), "Ray Tune", place, "ray"
            )
        return dict(sorted(found.items(), key=lambda item: item[1].updated, reverse=True))

    def watch(self, label: str, info: SweepInfo) -> RayWatch:
        """One experiment; of its trials those whose files have changed are read again."""
        return RayWatch(label, self._folder / info.experiment_id, self._folder)

    def history(self, run_id: str, metric: str) -> list[tuple[int, float]]:
        """(step, value) of every report of a trial."""
        return [(point.step, point.value) for point in self.points(run_id, [metric])[metric]]

    def points(self, run_id: str, metrics: Sequence[str]) -> Mapping[str, Sequence[Point]]:
        """Of several metrics, from one reading of the trial's file."""
        folder = (self._folder / run_id).resolve()
        if not folder.is_relative_to(self._folder):
            return {metric: [] for metric in metrics}
        return reported(folder, metrics)


class RayWatch:
    """An experiment that is looked at again and again; its runs are called by where they lie in ``root``."""

    def __init__(self, name: str, folder: Path, root: Path) -> None:
        self._name, self._folder, self._root = name, folder, root
        self._read: dict[Path, tuple[object, Trial, tuple[str, ...]]] = {}
        self._states: tuple[object, States, tuple[str, ...]] = (None, States({}, {}), ())
        self._last: TrialTable | None = None
        self.seconds = 0.0

    def look(self) -> TrialTable:
        """The experiment as it is now."""
        began = time.perf_counter()
        faults = self._look_at_states()
        trials = []
        for folder in _trials(self._folder):
            trial, told = self._trial(folder)
            trials.append(trial)
            faults += told
        if len(trials) == MOST_TRIALS:
            faults.append(f"trials beyond the first {MOST_TRIALS:,}")
        names = sorted({name for trial in trials for name in trial.metrics})
        ordered = tuple(sorted(_apart(trials), key=lambda trial: (trial.started, trial.id)))
        catalogue = built_in()
        table = TrialTable(self._name, guessed_goals(names, catalogue), ordered, "", catalogue, tuple(faults))
        self._last = renewed(table, self._last)
        self.seconds = time.perf_counter() - began
        return self._last

    def _look_at_states(self) -> list[str]:
        now = tuple(_mark(file) for file in sorted(self._folder.glob("experiment_state-*.json")))
        if now != self._states[0]:
            faults: list[str] = []
            states = read_states(self._folder, faults)
            if not states.is_there:
                faults.append(
                    "its experiment_state, without which trials that reported and have no error are finished"
                )
            self._states = (now, states, tuple(faults))
            self._read.clear()
        return list(self._states[2])

    def _trial(self, folder: Path) -> tuple[Trial, tuple[str, ...]]:
        now = tuple(_mark(folder / name) for name in FILES)
        if folder not in self._read or self._read[folder][0] != now:
            faults: list[str] = []
            trial = read_trial(folder, str(folder.relative_to(self._root)), self._states[1], faults)
            self._read[folder] = (now, trial, tuple(faults))
        return self._read[folder][1:]


def is_ray_folder(folder: Path) -> bool:
    """Whether a folder holds an experiment of Ray Tune's, or is one, or a trial."""
    return any(True for _ in _experiments(folder))


def _experiments(folder: Path) -> Iterator[Path]:
    if _is_experiment(folder):
        yield folder
    else:
        yield from filter(_is_experiment, islice(_folders(folder), MOST_EXPERIMENTS))


def _is_experiment(folder: Path) -> bool:
    """It has the file of one, or is a trial, or has one among its first folders."""
    if next(folder.glob("experiment_state-*.json"), None) is not None or is_trial(folder):
        return True
    return any(map(is_trial, islice(_folders(folder), MOST_LOOKED)))


def _trials(folder: Path) -> list[Path]:
    """The folders of the trials, by name; the folder itself where it is that of one."""
    found = list(islice(filter(is_trial, _folders(folder)), MOST_TRIALS))
    return found or ([folder] if is_trial(folder) else [])


def _folders(folder: Path) -> list[Path]:
    """The folders in a folder, by name; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(one.path) for one in entries if one.is_dir(follow_symlinks=False))
    except OSError as error:
        raise UserError(
            f"folder '{brief(str(folder), 150)}' cannot be read ({root_cause(error)}); name another"
        ) from error


def _apart(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Identities that are not: a trial that was moved or copied is called by its folder."""
    seen: set[str] = set()
    for trial in trials:
        yield trial if trial.id not in seen else replace(trial, id=clean(Path(trial.run_id).name))
        seen.add(trial.id)


def _mark(file: Path) -> object:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _changed(folder: Path) -> datetime:
    """When something in an experiment was written last, as its folders tell."""
    times = [folder.stat().st_mtime]
    for inner in (*islice(_trials(folder), MOST_LOOKED), *folder.glob("experiment_state-*.json")):
        try:
            times.append(inner.stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times), UTC)
