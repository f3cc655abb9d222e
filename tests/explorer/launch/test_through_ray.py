"""Ray that cannot be had is refused before anything is made; one that is lost has a while to come back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.earlier import earlier_trials
from explorer.launch.places import ray_log
from explorer.launch.plan import make_plan
from explorer.launch.through_ray import pack_settings, through_ray
from tests.explorer.launch.small import small_sweep
from tests.processes import descendants


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    return tmp_path


def test_a_cluster_that_is_not_there_is_refused_and_nothing_is_made(home: Path) -> None:
    sweep = small_sweep(home)
    with pytest.raises(UserError, match=r"no Ray cluster answers at '127\.0\.0\.1:1'"):
        through_ray(
            sweep, make_plan(sweep, earlier_trials(sweep)), "127.0.0.1:1", lambda: None, {}
        ).__enter__()
    assert not (home / "checkpoints").exists()
    assert not (home / "mlflow.db").exists()


def test_a_sweep_that_is_refused_starts_no_ray(home: Path) -> None:
    sweep = small_sweep(home)
    before = set(descendants(os.getpid()))

    def refuse() -> None:
        raise UserError("it cannot be")

    with pytest.raises(UserError, match="it cannot be"):
        through_ray(sweep, make_plan(sweep, earlier_trials(sweep)), None, refuse, {}).__enter__()
    assert not (home / "mlflow.db").exists()
    assert not set(descendants(os.getpid())) - before
    assert "Traceback" not in ray_log(sweep).read_text()


def test_every_pack_is_told_where_checkpoints_lie_and_what_it_gets(home: Path) -> None:
    sweep = small_sweep(home, resources={"cpus": 0.5, "storage": str(home / "checkpoints")})
    told = pack_settings(sweep, 0.25)
    assert (told["storage"], told["cpus"], told["gpus"]) == (str(home / "checkpoints"), 0.5, 0.25)
    other = small_sweep(home, stopping={"name": "plateau"})
    assert told["stopper"] != pack_settings(other, 0.25)["stopper"]
