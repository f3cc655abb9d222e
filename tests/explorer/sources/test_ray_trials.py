"""Ray Tune's trials: parameters, last reports, how they ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.sources.ray_trials import States, is_trial, read_states, read_trial, reported
from tests.explorer.sources.ray_made import add_trial, made_experiment

NONE = States({}, {}, is_there=False)


def test_a_trial_is_its_last_report(tmp_path: Path) -> None:
    trials, faults = made_experiment(tmp_path), list[str]()
    states = read_states(tmp_path, faults)
    first, _, last = (read_trial(trial, trial.name, states, faults) for trial in trials)
    assert faults == []
    assert first.params == {"lr": 0.1, "opt.name": "adam", "opt.betas": "[0, 0.9]"}
    assert first.metrics == {"loss": 0.5, "deep/fid": 8.0, "time_total_s": 5.0}
    assert (first.id, first.status, first.started, first.ended) == (
        "ab_00001",
        "finished",
        995_000,
        1_000_000,
    )
    assert (last.status, last.reason) == ("failed", "ValueError: no luck")
    told = reported(trials[0], ["loss", "none"])
    assert [(point.step, point.value) for point in told["loss"]] == [(1, 1.0), (2, 0.5)]
    assert {point.time for point in told["loss"]} == {1_000_000}
    assert told["none"] == []


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("RUNNING", "running"),
        ("PENDING", "running"),
        ("PAUSED", "running"),
        ("TERMINATED", "finished"),
        ("NEW", "running"),
    ],
)
def test_statuses_of_ray_are_ours(tmp_path: Path, status: str, told: str) -> None:
    trial = add_trial(tmp_path, 1, {}, [{"loss": 1.0}])
    for whole in (
        {
            "trial_data": [
                [json.dumps({"status": status, "relative_logdir": trial.name}), "{}"],
                7,
                [],
                "torn",
            ]
        },
        {"checkpoints": [json.dumps({"status": status, "logdir": f"/gone/{trial.name}"})]},
        {"checkpoints": [{"status": status, "logdir": f"/gone/{trial.name}/"}]},
    ):
        (tmp_path / "experiment_state-1.json").write_text(json.dumps(whole))
        assert read_trial(trial, "t", read_states(tmp_path, []), []).status == told


def test_of_several_states_the_newest_that_is_whole_counts(tmp_path: Path) -> None:
    trial, faults = add_trial(tmp_path, 1, {}, [{"loss": 1.0}]), list[str]()
    told = {"trial_data": [[json.dumps({"status": "ERROR", "relative_logdir": trial.name}), "{}"]]}
    (tmp_path / "experiment_state-1.json").write_text(json.dumps(told))
    (tmp_path / "experiment_state-2.json").write_text('{"trial_da')
    states = read_states(tmp_path, faults)
    assert states.statuses == {trial.name: "failed"}
    assert faults == ["experiment_state-2.json, which is torn or too large"]
    assert read_states(tmp_path / "none", []) == NONE


@pytest.mark.parametrize(
    ("later", "started"),
    [
        ('{"start_time": 999.25}', 999_250),
        ("{}", 997_500),
        ('{"start_time": null}', 997_500),
        ("torn", 997_500),
    ],
)
def test_a_trial_began_when_its_state_says(tmp_path: Path, later: str, started: int) -> None:
    trial = add_trial(tmp_path, 1, {}, [{"loss": 1.0}])
    told = {"trial_data": [[json.dumps({"status": "ERROR", "relative_logdir": trial.name}), later]]}
    (tmp_path / "experiment_state-1.json").write_text(json.dumps(told))
    found = read_trial(trial, "t", read_states(tmp_path, []), [])
    assert (found.started, found.ended) == (started, 1_000_000)


def test_parameters_come_from_where_they_are_whole(tmp_path: Path) -> None:
    trial, faults = add_trial(tmp_path, 1, {"lr": 3}, [{"loss": 1.0}]), list[str]()
    (trial / "params.json").write_text('{"lr": ')
    assert read_trial(trial, "t", NONE, faults).params == {"lr": 3}, "a report has them too"
    assert faults == [f"params.json of {trial.name}, which is torn or too large"]
    (trial / "result.json").unlink()
    states = States({trial.name: "finished"}, {trial.name: {"lr": 4, "x": float("inf"), "y": {}}})
    assert read_trial(trial, "t", states, []).params == {"lr": 4, "x": "inf", "y": "{}"}


def test_a_folder_is_a_trial_by_its_files(tmp_path: Path) -> None:
    assert not is_trial(tmp_path)
    (tmp_path / "progress.csv").write_text("")
    assert is_trial(tmp_path)
    trial = read_trial(tmp_path, "t", NONE, [])
    assert (trial.status, trial.metrics, trial.params) == ("killed", {}, {})
