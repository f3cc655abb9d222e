"""A sweep may begin at a base: one for each dataset, model and seed, refused in one sentence where it cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.sweep.sweep import Sweep, build_sweep
from trainables.config import TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.objectives.fgan import Gan

BASE = {
    "objective": {"name": "gan"},
    "constraint": {"name": "spectral", "lipschitz": 1},
    "training": {"iterations": 100},
}


def staged(**changes: Any) -> Sweep:
    raw: dict[str, Any] = {
        "name": "staged",
        "base": BASE,
        "start": {"from": "base"},
        "training": {"iterations": 60, "critic_first": 10, "generator_lr": 1e-4},
        "space": {"objective.lam": [0.1, 10]},
        "seeds": 2,
    }
    return build_sweep({key: value for key, value in {**raw, **changes}.items() if value is not None})


def trials(sweep: Sweep) -> list[TrialConfig]:
    return [trial for point in sweep.space.grid() for trial in sweep.repeats(point)]


def bases(sweep: Sweep) -> dict[str, TrialConfig]:
    found = {trial.start.base: trial.start.config for trial in trials(sweep) if trial.start is not None}
    return {base: config for base, config in found.items() if config is not None}


def test_every_seed_has_one_base_with_nothing_of_the_sweep_but_its_data_and_model() -> None:
    found = bases(staged(model={"generator": [8]}))
    assert sorted(base.seed for base in found.values()) == [0, 1]
    for identity, base in found.items():
        assert base.identity() == identity
        assert (base.objective, base.constraint) == (Gan(), Spectral(lipschitz=1.0))
        assert (base.training.iterations, base.training.critic_first) == (100, 0)
        assert base.training.generator_lr == TrialConfig().training.generator_lr, "a default, not the sweep's"
        assert getattr(base.model, "generator") == (8,)  # noqa: B009 - of one model
        assert base.start is None
    starts = [trial.start for trial in trials(staged())]
    assert len({start.kind for start in starts if start is not None}) == 1


@pytest.mark.parametrize(
    ("objective", "critic", "takes"),
    [
        ({"name": "gan"}, "fresh", False),
        ({"name": "gan"}, "kept", True),
        ({"name": "pr", "lams": [0.1, 10]}, "fresh", True),
    ],
)
def test_a_base_takes_lambda_if_it_is_trained_for_a_range_or_its_critic_is_kept(
    objective: dict[str, Any], critic: str, takes: bool
) -> None:
    sweep = staged(
        model={"takes_lam": True},
        base={"objective": objective, "training": {"iterations": 100}},
        start={"from": "base", "critic": critic},
        objective={"name": "pr", "lams": [0.05, 20]},
    )
    assert {base.model.takes_lam for base in bases(sweep).values()} == {takes}
    assert all(trial.model.takes_lam for trial in trials(sweep))


def test_axes_over_data_and_models_have_bases_of_their_own() -> None:
    space = {
        "objective.lam": [1, 2],
        "dataset.name": ["gaussians8", "gaussians25"],
        "training.ema": [0.5, 0.9],
    }
    found = bases(staged(space=space, seeds=1))
    assert sorted(base.dataset.name for base in found.values()) == ["gaussians25", "gaussians8"]
    assert {base.training.ema for base in found.values()} == {0.995}


def test_a_base_named_by_its_identity_is_the_same_for_all() -> None:
    sweep = staged(base=None, start={"from": "0123456789ab", "critic": "kept"})
    starts = {trial.start for trial in trials(sweep)}
    (start,) = starts
    assert start is not None
    assert (start.base, start.critic, start.config) == ("0123456789ab", "kept", None)


def test_whether_the_critic_is_kept_names_another_trial() -> None:
    fresh, kept = (trials(staged(start={"from": "base", "critic": c})) for c in ("fresh", "kept"))
    assert not {t.identity() for t in fresh} & {t.identity() for t in kept}
    assert bases(staged(start={"from": "base", "critic": "kept"})).keys() == bases(staged()).keys()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"start": None}, "section 'base' is of no use without a start; add start: {from: base}"),
    ({"base": None}, "start.from is 'base', and there is no section 'base'; add one such as"),
    ({"start": {"from": "0123456789ab"}}, "of no use with start.from '0123456789ab'; write from: base"),
    ({"start": {"critic": "kept"}}, "'start.from' must be given: base, the identity of an earlier trial"),
    (
        {"start": {"from": 123456789012}},
        "'start.from' must be text, got 123456789012; put an identity in quotes",
    ),
    ({"start": {"from": "base", "critic": "new"}}, "'start.critic' cannot be 'new'; it can be fresh, kept"),
    (
        {"start": {"from": "base", "critik": "kept"}},
        "'start.critik': section 'start' has no 'critik', only from",
    ),
    ({"start": "base"}, "'start' must be a section with keys"),
    ({"base": "gan"}, "'base' must be a section with keys"),
    ({"base": {"model": {}}}, "'base.model' cannot be given: a base has the model of the trial"),
    ({"base": {"objectiv": {}}}, "section 'base' has no 'objectiv', only objective"),
    ({"base": {"objective": {"name": "gna"}}}, "'base.objective.name' cannot be 'gna'; did you mean 'gan'?"),
    ({"base": {"objective": 3}}, "'base.objective' must be a section with keys, got 3"),
    ({"base": {"training": {"iterations": 0}}}, "the base is refused: training.iterations must be ≥ 1"),
    (
        {"training": {"iterations": 0}},
        "training.iterations must be ≥ 1, got 0; only a trial with start: {from:",
    ),
    ({"base": {"objective": {"name": "mle"}}}, "the base is refused: objective 'mle' needs a likelihood"),
    ({"base": None, "start": {"from": "staged"}}, "start.from must be another sweep, got 'staged'"),
    ({"space": {"base.training.iterations": [1]}}, "space.base.training.iterations: a sweep has one base"),
    ({"space": {"start.critic": ["kept"]}}, "vary 'start' by a sweep of its own"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED)
def test_refusals_say_what_is_wrong(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        staged(**changes)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_reading_a_sweep_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    staged()
    assert list(tmp_path.iterdir()) == []
