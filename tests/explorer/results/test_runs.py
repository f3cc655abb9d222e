"""Runs are read as far as they can be: no value that others wrote costs more than itself."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from mlflow.entities import Metric, Param, Run, RunData, RunInfo, RunTag

from explorer.goals import Goal
from explorer.results.runs import goals_of, identity_of, info_of, sweep_of, trial_of
from explorer.store.runs import StoredRun, stored
from explorer.store.schema import PLAIN, At


def run(
    metrics: dict[str, float] | None = None,
    params: dict[str, str] | None = None,
    started: int = 5000,
    **tags: str | None,
) -> StoredRun:
    info = RunInfo("r", "0", "me", "FINISHED", started, None, "active", "file:///r")
    values = [Metric(key, value, 0, 0) for key, value in (metrics or {}).items()]
    named = [RunTag(f"tradeoff.{key}", value) for key, value in tags.items()]
    return stored(Run(info, RunData(values, [Param(*pair) for pair in (params or {}).items()], named)))


def test_how_a_run_of_ours_was_first_read_is_no_parameter_and_those_of_others_are() -> None:
    params = {"lr": "1", "evaluation.k": "3", "refinement": "x"}
    assert trial_of(run(params=params, trial="a", layout="2")).params == {"lr": 1}
    assert trial_of(run(params=params, trial="a", layout="2", source="{}")).params == {
        "lr": 1,
        "evaluation.k": 3,
        "refinement": "x",
    }


def test_a_trial_has_what_can_be_read() -> None:
    odd = {"K1.2.3/fid": 1.0, "obrs/0/fid": 2.0, "obrs/2/fid": 3.0, "x\x1b": 4.0}
    endless = {"precision": math.inf, "recall": -1.7976931348623157e308, "fid": math.nan}
    trial = trial_of(
        run(
            {**odd, **endless},
            {"seed": "NaN", "objective.lam": "9" * 400, "note": '"\\ud800"', "refinement.budgets": "2"},
            trial="a\x00b", layout="2", readings="[[", reason="\x1b[31mred", outcome="exploded",
        )
    )  # fmt: skip
    assert trial.id == "a�b"
    assert trial.readings == {
        PLAIN: {"K1.2.3/fid": 1.0, "obrs/0/fid": 2.0, "x�": 4.0}, At("obrs", 2.0): {"fid": 3.0}
    }  # fmt: skip
    assert trial.params == {"seed": "NaN", "objective.lam": "9" * 400, "note": "�"}
    assert (trial.seed, trial.marks, trial.reason, trial.outcome) == (None, {}, "�[31mred", "exploded")


@pytest.mark.parametrize(
    "objectives", [None, "", "abc", "3", "[]", "{}", '{"fid": "down"}', '{"fid": 1}', "[" * 9999]
)
def test_objectives_that_are_none_are_told_apart(objectives: str | None) -> None:
    assert goals_of(run(**({} if objectives is None else {"objectives": objectives}))) is None
    assert goals_of(run(objectives='{"fid": "min", "\\ud800": "max"}')) == (
        Goal("fid", "min"), Goal("�", "max")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("trials", "counted"), [("12", 12), ("abc", 0), ("-1", 0), ("9" * 400, 0), ("", 0), ("1.5", 0)]
)
def test_a_sweep_has_a_count_and_a_date_whatever_its_run_says(trials: str, counted: int) -> None:
    info = info_of(run(sweep="s\x07", trials=trials, description="\x1bd", started=2**62), "mine\x00")
    assert (info.name, info.description, info.experiment) == ("s�", "�d", "mine�")
    assert (info.trials, info.updated) == (counted, datetime.fromtimestamp(0, UTC))


def test_a_run_of_others_has_no_name() -> None:
    assert (sweep_of(run()), identity_of(run()), identity_of(run(trial=""))) == ("", "", "")


def test_a_trial_tells_when_it_began_and_ended() -> None:
    assert (trial_of(run(started=7000)).started, trial_of(run()).ended) == (7000, 0)
