"""A sweep that is interrupted and started again ends as if nothing had happened."""

from __future__ import annotations

import signal
import time

import pytest

from explorer.errors import UserError
from tests.explorer.launch.conftest import Workplace

pytestmark = pytest.mark.cluster

ITERATIONS = 150


def _wait_for_work(workplace: Workplace) -> None:
    """Until a checkpoint is written."""
    checkpoints = workplace.home / "checkpoints"
    begun = set(checkpoints.glob("*/*.pt"))
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline:
        if set(checkpoints.glob("*/*.pt")) - begun:
            return
        time.sleep(0.05)
    raise AssertionError("no checkpoint was written")


def test_interrupted_and_started_again(on_cluster: Workplace) -> None:
    """First with a Ray of its own, which goes with it, in two packs; then on one that stays, in one pack."""
    file = on_cluster.file(iterations=ITERATIONS, every=25, pack=4)
    packs = on_cluster.json_here("sweep", file, "--dry-run")["packs"]
    assert [len(pack) for pack in packs] == [4, 4]
    expected = {i for pack in packs for i in pack}

    driver = on_cluster.embedded().start("sweep", file, "--set", "resources.cpus=1")
    _wait_for_work(on_cluster)
    with pytest.raises(UserError, match=rf"is running already \(process {driver.pid}\)"):
        on_cluster.here("sweep", file)
    driver.send_signal(signal.SIGTERM)  # which is made a SIGINT; Ray listens to it in a way of its own
    _, err = driver.communicate(timeout=120)
    assert driver.returncode == 130, err
    assert "running the sweep again continues" in err
    assert "Traceback" not in err
    assert "SIGTERM" not in err, "Ray has its own way to say so, with a stack of addresses"
    assert "RUNNING" not in on_cluster.runs("tiny")[0].values()
    assert on_cluster.json_here("sweep", file, "--dry-run")["resumed"] > 0

    outcome = on_cluster.json_here("sweep", file, "--set", "resources.pack=8")
    assert outcome["finished"] == outcome["trials"] == len(expected)
    statuses, counts = on_cluster.runs("tiny")
    assert set(statuses) == expected | {"parent"}, "the same trials as an undisturbed sweep"
    assert set(counts.values()) == {1}, "exactly one run per trial"
    assert set(statuses.values()) == {"FINISHED"}, "none left RUNNING"
    for trial in on_cluster.json_here("front", "tiny")["trials"]:
        assert trial["metrics"]["fid"] >= 0
        assert set(trial["budgets"]) == {"1", "2"}
    _no_step_twice(on_cluster)


def _no_step_twice(workplace: Workplace) -> None:
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{workplace.home / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("tradeoff-explorer")
    for run in client.search_runs([experiment.experiment_id], "tags.`tradeoff.kind` = 'trial'"):
        steps = [m.step for m in client.get_metric_history(run.info.run_id, "precision")]
        assert steps == sorted(set(steps))
        assert steps[-1] == ITERATIONS
