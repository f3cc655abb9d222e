"""Optuna's storages, made by Optuna: every study is a sweep with its parameters, values, directions and states."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.sources import open_source
from tests.explorer.sources.studies_made import make_studies

STATUSES = {
    "COMPLETE": "finished",
    "FAIL": "failed",
    "PRUNED": "killed",
    "RUNNING": "running",
    "WAITING": "running",
}


def sqlite(folder: Path) -> tuple[str, object]:
    return str(folder / "o.db"), f"sqlite:///{folder / 'o.db'}"


def journal(folder: Path) -> tuple[str, object]:
    file = str(folder / "o.log")
    return file, JournalStorage(JournalFileBackend(file))


@pytest.mark.parametrize("kind", [sqlite, journal])
def test_studies_are_sweeps(tmp_path: Path, kind: Callable[[Path], tuple[str, object]]) -> None:
    address, storage = kind(tmp_path)
    studies = make_studies(storage)
    source = open_source(address)
    assert source.kind == "optuna"
    sweeps = source.sweeps()
    assert sweeps.keys() == studies.keys()
    assert (sweeps["two"].status, sweeps["<b>one</b>"].status) == ("running", "finished")
    assert next(iter(sweeps)) == "<b>one</b>", "the newest comes first"
    for name, study in studies.items():
        table = source.table(name)
        trials = study.trials
        assert (sweeps[name].trials, len(table)) == (len(trials), len(trials))
        names = ["fid", "recall"] if name == "two" else ["values_0"]
        for one, trial in zip(table, trials, strict=True):
            assert (one.id, one.status) == (str(trial.number), STATUSES[trial.state.name])
            assert one.params == {k: v for k, v in trial.params.items() if v is not None}
            assert {k: type(v) for k, v in one.params.items()} == {
                k: type(v) for k, v in trial.params.items() if v is not None
            }
            values = dict(zip(names, trial.values or [], strict=False))
            seconds = {k: v for k, v in trial.user_attrs.items() if isinstance(v, float)}
            assert one.metrics == {k: v for k, v in {**values, **seconds}.items() if math.isfinite(v)}
            if trial.datetime_complete is not None:
                assert abs(one.ended - 1000 * trial.datetime_complete.timestamp()) < 2
    assert source.table("two").goals == (Goal("fid", "min"), Goal("recall", "max"))
    assert source.table("<b>one</b>").goals == (Goal("values_0", "max"),)
    assert source.table("two", goals=[Goal("recall", "min")]).goals == (Goal("recall", "min"),)
    with pytest.raises(UserError, match="no sweep 'tow'"):
        source.table("tow")


@pytest.mark.parametrize("kind", [sqlite, journal])
def test_a_study_that_goes_on_is_read_again(
    tmp_path: Path, kind: Callable[[Path], tuple[str, object]]
) -> None:
    address, storage = kind(tmp_path)
    study = optuna.create_study(storage=storage, study_name="s")
    source = open_source(f"optuna:{address}")
    watch = source.watch("s", source.sweeps()["s"])
    assert len(watch.look()) == 0
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    before = watch.look()
    assert len(before) == 2
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    assert watch.look().trials[:2] == before.trials
    assert watch.look().trials[0] is before.trials[0]
    optuna.delete_study(study_name="s", storage=storage)
    assert source.sweeps() == {}
    with pytest.raises(UserError, match="no longer"):
        watch.look()
