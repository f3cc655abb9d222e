"""A warm start: finished trials of another sweep, as far as they lie in the space, each point once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.earlier import Earlier
from explorer.launch.places import memo_of
from explorer.launch.plan import make_plan
from explorer.launch.slots import Slots
from explorer.launch.warm_start import earlier_points, point_of, warm_sentence
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, finish, small_sweep, tracker
from trainables.config import TrialConfig

SPACE = {
    "objective.lam": {"log_range": [0.5, 2]},
    "objective.name": ["pr", "kl"],
    "training.ema": [0.9, 0.995],
}
TWO = Slots(2, gpu=False)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))


def learning(folder: Path, warm: Any = "other", **changes: Any) -> Sweep:
    search = {"name": "tpe", "trials": 30, "warm_start": warm}
    return small_sweep(folder, **{"search": search, "space": SPACE, **changes})


def other(folder: Path, **changes: Any) -> None:
    sweep = small_sweep(folder, name="other", seeds=2, **changes)
    opened = tracker(sweep)
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    opened.close_sweep(interrupted=False)


def test_points_in_the_space_are_found_once_with_the_means_over_their_seeds(tmp_path: Path) -> None:
    other(tmp_path, space=[{"objective.lam": [1, 5]}, {"objective.name": ["kl", "gan"]}])
    found = earlier_points(learning(tmp_path))
    assert sorted((one.point for one in found), key=len) == [
        {"objective.name": "kl", "training.ema": 0.995},
        {"objective.name": "pr", "objective.lam": 1.0, "training.ema": 0.995},
    ]
    assert all(one.metrics == {"precision": 0.5, "recall": 0.25, "fid": 9.0} for one in found)


def test_a_plan_says_how_many_there_are(tmp_path: Path) -> None:
    other(tmp_path)
    plan = make_plan(learning(tmp_path), Earlier(), TWO)
    assert "1 point of sweep other to learn from" in plan.sentences()
    far = learning(tmp_path, space={"objective.lam": {"log_range": [20, 30]}})
    assert "no point of sweep other lies in the space" in make_plan(far, Earlier(), TWO).sentences()
    assert warm_sentence(learning(tmp_path, None), 0) is None
    assert warm_sentence(learning(tmp_path, ["a", "b"]), 3) == "3 points of sweeps a and b to learn from"


def test_a_sweep_that_is_not_there_is_refused(tmp_path: Path) -> None:
    other(tmp_path)
    with pytest.raises(
        UserError, match=r"search\.warm_start must name sweeps of .*, got 'otter'; did you mean 'other'"
    ):
        earlier_points(learning(tmp_path, ["other", "otter"]))
    empty = learning(tmp_path, tracking={"uri": f"sqlite:///{tmp_path / 'none.db'}"})
    with pytest.raises(UserError, match=r"got 'other'; it holds none yet|is not there"):
        earlier_points(empty)


def test_once_noted_it_is_what_the_memo_says(tmp_path: Path) -> None:
    other(tmp_path)
    sweep = learning(tmp_path)
    first = earlier_points(sweep)
    sweep.source(memo_of(sweep), first).ask(3)
    other(tmp_path, space={"objective.lam": [0.7, 1.5]})
    assert earlier_points(sweep) == first
    assert len(earlier_points(learning(tmp_path, ["other"]))) == 3, "another question"


def test_parameters_tell_of_sections_shorthands_and_what_is_left_open(tmp_path: Path) -> None:
    space = small_sweep(
        tmp_path,
        model={},
        space={
            "objective": [{"name": "kl"}, {"name": "pr", "lam": 3}],
            "model.size": ["medium", "small"],
            "model.latent": [2, 4],
        },
    ).space
    plain = {path: value for path, value in TrialConfig().params().items() if not path.startswith("model.")}
    small = {
        "model.name": "mlp_gan",
        "model.generator": [32, 32],
        "model.critic": [64, 64, 64],
        "model.latent": 2,
    }
    kl = {**plain, **small, "objective.name": "kl"}
    assert point_of(space, kl) == {"objective": {"name": "kl"}, "model.size": "small", "model.latent": 2}
    assert point_of(space, {**kl, "objective.name": "pr", "objective.lam": 3.0}) is not None
    assert point_of(space, {**kl, "objective.name": "pr", "objective.lam": 4.0}) is None
    assert point_of(space, {**kl, "model.generator": [8]}) is None
    assert point_of(space, {**kl, "model.latent": 3}) is None
