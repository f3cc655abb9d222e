"""Samples of any model as trials of a sweep: each set measured once, all of them alike."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from explorer.errors import UserError, brief
from explorer.goals import Goal
from explorer.results.catalogue import built_in
from explorer.sources import guessed_goals
from explorer.store import schema
from explorer.store.whole import Point, WholeRun
from explorer.transfer.alike import check_alike, conditions, described, digest
from explorer.transfer.arrival import EXPERIMENT, Arrival, check_name, taking
from explorer.transfer.portrayal import Portrayal, sum_up
from explorer.transfer.sample_files import numbers, sample_files, write_files
from explorer.transfer.sample_list import SampleTrial

if TYPE_CHECKING:
    from explorer.measure import MeasureSettings
    from explorer.measure.outline import Outline
    from explorer.tracking import Intake

__all__ = ["import_samples"]

ORIGIN = "samples"

Stage = Callable[[str], None]


class _Set(NamedTuple):
    """A set that is to be measured: what it is called, its bytes' hash, its identity as a trial."""

    trial: SampleTrial
    outline: Outline
    digest: str
    identity: str


def import_samples(
    name: str,
    real: Path,
    trials: Sequence[SampleTrial],
    uri: str,
    settings: MeasureSettings,
    features: str | None = None,
    experiment: str | None = None,
    goals: Sequence[Goal] | None = None,
    stage: Stage = lambda told: None,
) -> Arrival:
    """Measure every set against REAL and keep it as a trial of the sweep ``name``, which is made or extended.

    A set is known by its parameters and the bytes of its files: one that is there is not measured again. All trials of
    a sweep are measured alike; what would be measured in another way, and numbers that cannot be measured, are
    refused before anything is written.
    """
    from explorer.measure.command import check_numbers

    check_name(name)
    real_side, sets = _outlined(real, trials, features, settings, stage)
    alike = conditions(real_side, [one.outline for one in sets], features, settings)
    chosen = tuple(goals) if goals is not None else guessed_goals(_keys(settings), built_in())
    _check_goals(chosen, _keys(settings))
    check_numbers(real_side, [one.outline for one in sets], stage)
    tags = {
        **schema.parent_tags({goal.metric: goal.direction for goal in chosen}, described(real_side, alike)),
        schema.MEASURED: json.dumps(alike, sort_keys=True),
    }
    parent = WholeRun(name, "finished", _now(), tags=tags)
    portrayal = Portrayal([one.trial.told for one in sets])
    written = 0
    place = experiment or EXPERIMENT
    with taking(uri, place, name, ORIGIN, parent, stage, experiment is None) as intake:
        if len(intake):
            check_alike(intake.tag(schema.MEASURED), alike, name)
        else:  # of an import that ended before it had measured anything
            intake.note(tags)
        with TemporaryDirectory(prefix="tradeoff-") as folder:
            write_files({schema.CATALOGUE_FILE: built_in().to_json()}, Path(folder))
            intake.papers(Path(folder))
        if goals is not None:  # they take the place of earlier ones
            intake.note({schema.OBJECTIVES: tags[schema.OBJECTIVES]})
        for number, one in enumerate(sets, start=1):
            mark = _mark(alike, one)
            if not intake.has(one.identity, mark):
                at = f"set {number} of {len(sets)}, {brief(one.trial.fake.name, 40)}"
                _take(intake, real_side, one, mark, settings, features, portrayal, _with(at, stage))
                written += 1
        notes = sum_up(intake, uri, place, name, stage)
    return Arrival(name, uri, written, len(sets) - written, notes)


def _outlined(
    real: Path, trials: Sequence[SampleTrial], features: str | None, settings: MeasureSettings, stage: Stage
) -> tuple[Outline, list[_Set]]:
    """All sides from their headers and bytes, once it is known that they can be measured."""
    from explorer.measure.command import outlined
    from trainables.config import fingerprint

    sets: list[_Set] = []
    sides: tuple[Outline, Outline] | None = None
    for number, trial in enumerate(trials, start=1):
        stage(f"looking at set {number} of {len(trials)}")
        sides = outlined(real, trial.fake, features, settings)
        content = digest(sides[1])
        identity = fingerprint([dict(sorted(trial.told.items())), content])
        if identity in {one.identity for one in sets}:
            raise UserError(
                f"every set is given once, got '{brief(str(trial.fake), 80)}' with the same parameters twice; leave "
                "one out, or tell them apart by a parameter such as seed"
            )
        sets.append(_Set(trial, sides[1], content, identity))
    if sides is None:
        raise UserError("no samples are given; name a set with --fake, or many with --table")
    return sides[0], sets


def _check_goals(goals: Sequence[Goal], keys: Sequence[str]) -> None:
    from trainables.nearest import nearest

    for goal in goals:
        if goal.metric not in keys:
            raise UserError(
                f"an objective must be measured, got '{brief(goal.metric)}'{nearest(goal.metric, list(keys))}"
            )


def _keys(settings: MeasureSettings) -> list[str]:
    return [e.key for metric in settings.chosen() for e in metric.entries if settings.wants(e.key)]


def _with(where: str, stage: Stage) -> Stage:
    """What is done now, with what it is done to."""
    return lambda told: stage(f"{where}: {told}")


def _mark(alike: dict[str, Any], one: _Set) -> str:
    from trainables.config import fingerprint

    return fingerprint([alike, one.digest])


def _take(
    intake: Intake,
    real: Outline,
    one: _Set,
    mark: str,
    settings: MeasureSettings,
    features: str | None,
    portrayal: Portrayal,
    stage: Stage,
) -> None:
    """One set: measured, and kept with what can be shown of it."""
    from explorer.folders import data_folder
    from explorer.measure import measure_paths

    began = _now()
    found = measure_paths(real.path, one.trial.fake, features, settings, data_folder() / "measure", stage)
    stage("writing")
    ended = _now()
    told = found.values["settings"]
    name = str(one.trial.told["samples"])
    files = sample_files(real, one.outline, found)
    tags = {
        schema.LAYOUT: schema.LAYOUT_NOW,
        schema.SOURCE: json.dumps({"kind": ORIGIN, "trial": name}),
        schema.NOTE: portrayal.note(name, one.trial.told, schema.THUMB_FILE in files),
        schema.READINGS: schema.encode_readings({schema.PLAIN: mark}),
        schema.MEASURED: json.dumps(
            {"fake": told["fake"], "features": told["features"], "digest": one.digest}
        ),
    }
    run = WholeRun(
        name=name,
        status="finished",
        started=began,
        ended=ended,
        tags=tags,
        params={path: schema.encode(value) for path, value in one.trial.told.items()},
        histories={key: (Point(0, ended, value),) for key, value in numbers(found).items()},
    )
    with TemporaryDirectory(prefix="tradeoff-") as folder:
        write_files(files, Path(folder))
        intake.take(one.identity, run, mark, Path(folder))


def _now() -> int:
    return time.time_ns() // 1_000_000
