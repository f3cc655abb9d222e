"""Folders of Ray Tune's results, as Ray itself writes them, and as they are found: torn, moved, without their head."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sources import open_source
from tests.explorer.sources.ray_made import add_trial, made_experiment

REAL = """
import ray
from ray import tune

def train(config):
    for step in range(3):
        if config["x"] == 3 and step == 1:
            raise ValueError("no luck")
        tune.report({"precision": config["x"] * step / 10, "deep": {"loss": 1 / (step + 1)}, "bad": float("nan")})

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
space = {"x": tune.grid_search([1, 2, 3]), "opt": {"lr": 0.1}}
place = tune.RunConfig(name="exp", storage_path=PLACE)
tune.Tuner(train, param_space=space, run_config=place).fit()
"""


@pytest.mark.slow
def test_what_ray_itself_wrote_is_read(tmp_path: Path) -> None:
    code = f"PLACE = {str(tmp_path)!r}\n{REAL}"
    env = {**os.environ, "RAY_AIR_NEW_OUTPUT": "0"}
    subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, timeout=300, cwd=tmp_path)
    source = open_source(str(tmp_path))
    table = source.table("exp")
    assert table.complaint is None
    assert [trial.started for trial in table] == sorted(trial.started for trial in table)
    ordered = sorted(table, key=lambda trial: str(trial.params["x"]))  # two begin at once
    assert [(t.status, t.params) for t in ordered] == [
        (status, {"x": x, "opt.lr": 0.1}) for x, status in ((1, "finished"), (2, "finished"), (3, "failed"))
    ]
    first, _, last = ordered
    assert set(first.metrics) == {"precision", "deep/loss", "time_total_s"}
    assert source.history(first.run_id, "precision") == [(1, 0.0), (2, 0.1), (3, 0.2)]
    assert last.reason == "ValueError: no luck"


def test_an_experiment_and_the_folder_around_several_are_sources(tmp_path: Path) -> None:
    for name in ("one", "two"):
        made_experiment(tmp_path / name)
    (tmp_path / "empty").mkdir()
    around = open_source(str(tmp_path))
    assert (around.kind, set(around.sweeps())) == ("ray", {"one", "two"})
    alone = open_source(str(tmp_path / "two"))
    assert [(info.name, info.trials, info.kind, info.status) for info in alone.sweeps().values()] == [
        ("two", 3, "ray", "finished")
    ]
    table = alone.table("two")
    assert table.trials[0].metrics == around.table("one").trials[0].metrics
    assert [trial.id for trial in table] == ["ab_00001", "ab_00002", "ab_00003"]
    # A trial of one is not found under another's name.
    run = around.table("one").trials[1].run_id
    assert around.history(run, "loss") == [(1, 1.0), (2, 0.5)]
    assert alone.history(f"../one/{Path(run).name}", "loss") == []


def test_a_trial_alone_and_folders_without_their_experiment_are_read(tmp_path: Path) -> None:
    trials = made_experiment(tmp_path / "exp")
    assert open_source(str(trials[0])).table(trials[0].name).trials[0].metrics["deep/fid"] == 8.0
    next((tmp_path / "exp").glob("experiment_state-*")).unlink()
    table = open_source(str(tmp_path / "exp")).table("exp")
    assert [trial.status for trial in table] == ["finished", "finished", "failed"]
    assert "experiment_state" in (table.complaint or "")


def test_a_watch_reads_again_what_has_changed(tmp_path: Path) -> None:
    trials = made_experiment(tmp_path / "exp")
    source = open_source(str(tmp_path))
    watch = source.watch("exp", source.info("exp"))
    first = watch.look()
    assert watch.look() is first
    with (trials[0] / "result.json").open("a") as file:
        report = {"loss": 0.25, "training_iteration": 3, "timestamp": 1000, "time_total_s": 9}
        file.write(json.dumps({**report, "trial_id": "ab_00001"}) + "\n")
    add_trial(tmp_path / "exp", 4, {"lr": 7}, [{"loss": 2.0}])
    second = watch.look()
    assert second.trials[0].metrics == {"loss": 0.25, "time_total_s": 9.0}
    assert second.trials[1] is first.trials[1], "what has not changed stays"
    assert [trial.status for trial in second][3:] == ["killed"], "its experiment does not know it"


def test_two_trials_of_one_identity_are_called_by_their_folders(tmp_path: Path) -> None:
    trials = made_experiment(tmp_path / "exp")
    shutil.copytree(trials[0], tmp_path / "exp" / "copy")
    names = [trial.id for trial in open_source(str(tmp_path)).table("exp")]
    assert sorted(names) == sorted({"ab_00001", "ab_00002", "ab_00003", trials[0].name})


def test_links_are_not_followed_and_other_folders_are_refused(tmp_path: Path) -> None:
    made_experiment(tmp_path / "elsewhere" / "exp")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "exp").symlink_to(tmp_path / "elsewhere" / "exp")
    with pytest.raises(UserError, match="holds no experiment of Ray Tune"):
        open_source(str(inner))
