"""A base in an earlier sweep is the one finished trial of the same seed, dataset and model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.sweep.earlier_base import EarlierBases, _alike, _rebuilt
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, finish, small_sweep, stored, tracker
from trainables.config import TrialConfig
from trainables.models.mlp_gan import MlpGan

ONE: dict[str, Any] = {"name": "earlier", "objective": {"name": "gan"}, "space": None}


def later(folder: Path, **changes: Any) -> Sweep:
    return small_sweep(folder, start={"from": "earlier"}, **changes)


def test_it_is_found_by_seed_and_must_be_the_only_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"start\.from must be base, .* or an earlier sweep .*got 'earlier'"):
        later(tmp_path)
    earlier = small_sweep(tmp_path, seeds=2, **ONE)
    opened = tracker(earlier)
    by_seed = {config.seed: identity for identity, config in configs(earlier).items()}
    for identity in by_seed.values():
        finish(opened, earlier, identity)
    found = configs(later(tmp_path, seeds=2))
    assert {c.seed: c.start.base for c in found.values() if c.start is not None} == by_seed
    assert {c.start.kind for c in found.values() if c.start is not None} == {"earlier"}
    with pytest.raises(UserError, match=r"'earlier' has no finished trial with seed 7, dataset 'gaussians8'"):
        later(tmp_path, seeds=[7])
    with pytest.raises(UserError, match="has no finished trial with seed 0"):
        later(tmp_path, model={"generator": [5], "critic": [4]})
    second = small_sweep(tmp_path, **{**ONE, "objective": {"name": "hinge"}})
    (other,) = configs(second)
    opened.start([(other, configs(second)[other].params())])
    later(tmp_path, seeds=1)  # what is not finished is no candidate
    finish(opened, second, other)
    with pytest.raises(UserError, match=rf"has 2 trials with seed 0, .*: {by_seed[0]}, {other}$"):
        later(tmp_path, seeds=1)


def test_a_trial_that_was_only_read_is_no_candidate(tmp_path: Path) -> None:
    model = {"generator": [4], "critic": [4], "takes_lam": True}
    base = {"objective": {"name": "pr", "lams": [0.1, 10]}, "training": {"iterations": 8}}
    curve = small_sweep(
        tmp_path,
        name="earlier",
        model=model,
        base=base,
        start={"from": "base", "critic": "kept"},
        training={"iterations": 0},
    )
    opened, readings = tracker(curve), configs(curve)
    for identity in readings:
        finish(opened, curve, identity)
    (start,) = {config.start for config in readings.values()}
    assert start is not None
    assert start.config is not None
    opened.start([(start.base, start.config.params())])
    opened.finish(start.base)
    found = configs(later(tmp_path, model=model))
    assert {c.start.base for c in found.values() if c.start is not None} == {start.base}


def test_what_is_known_of_a_base_of_an_earlier_sweep_is_checked(tmp_path: Path) -> None:
    model = {"generator": [4], "critic": [4], "takes_lam": True}
    objective = {"name": "pr", "lams": [0.5, 2]}
    earlier = small_sweep(tmp_path, name="earlier", model=model, objective=objective, space=None, seeds=1)
    opened = tracker(earlier)
    ((identity, base),) = configs(earlier).items()
    finish(opened, earlier, identity)
    read: dict[str, Any] = {
        "model": model, "start": {"from": "earlier", "critic": "kept"}, "training": {"iterations": 0}, "seeds": 1,
    }  # fmt: skip
    found = configs(small_sweep(tmp_path, **read, space={"objective.lam": [0.5, 2]}))
    for config in found.values():
        assert config.start is not None
        assert (config.start.known, config.start.config) == (base, None), "known, and not to be trained again"
    with pytest.raises(UserError, match=r"a base is read at a λ that it was trained for, 0\.5 to 2, got 3"):
        small_sweep(tmp_path, **read, space={"objective.lam": [1, 3]})
    one = stored(earlier)[identity]
    assert _rebuilt(one) == base
    for params in ({**one.params, "model.name": "gone"}, {**one.params, "objective.lam": 2.5}, {}):
        assert _rebuilt(replace(one, params=params)) is None


def test_a_field_that_a_stored_trial_does_not_know_was_at_its_default() -> None:
    trial = TrialConfig(model=MlpGan(generator=(8,)))
    stored, wanted = trial.params(), {"dataset": trial.dataset, "model": trial.model}
    assert _alike(wanted, stored)
    assert _alike(wanted, {path: value for path, value in stored.items() if path != "model.latent"})
    assert not _alike(wanted, {path: value for path, value in stored.items() if path != "model.generator"})
    assert not _alike(wanted, {**stored, "model.latent": 3})
    assert not _alike(wanted, {**stored, "dataset.name": "rings"})
    assert not _alike(wanted, {})


def test_nothing_is_looked_up_before_it_is_asked_for() -> None:
    EarlierBases("nowhere", "sqlite:////nowhere/mlflow.db", "none")
