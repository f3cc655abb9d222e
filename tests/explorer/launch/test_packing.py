"""Packs hold trials of one shape, one starting point and one end, and every trial exactly once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.launch.packing import Orders, Pack, PlannedTrial, make_packs
from explorer.stopping.plateau import Plateau
from explorer.sweep import load_sweep
from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.metrics.frechet import Frechet
from trainables.metrics.prd import Prd
from trainables.models import MODELS
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.hinge import Hinge
from trainables.refinements.obrs import Obrs
from trainables.start import Start


def planned(width: int, start: int, seed: int, end: int = 100) -> PlannedTrial:
    config = TrialConfig(model=MlpGan(generator=(width,)), seed=seed)
    return PlannedTrial(config.identity(), config, start, end)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([4, 8]), st.sampled_from([0, 10]), st.integers(0, 50), st.sampled_from([50, 100])
        ),
        unique=True,
    ),
    st.integers(1, 7),
)
def test_packs_partition_the_trials(rows: list[tuple[int, int, int, int]], limit: int) -> None:
    trials = [planned(*row) for row in rows]
    packs = make_packs(trials, limit)
    seen = [t for pack in packs for t in pack.trials]
    assert sorted(seen, key=repr) == sorted(trials, key=repr)
    sizes: dict[tuple[str, int, int], list[int]] = {}
    for pack in packs:
        assert 1 <= len(pack.trials) <= limit
        (shared,) = {(t.config.shape(), t.start, t.end) for t in pack.trials}
        sizes.setdefault(shared, []).append(len(pack.trials))
    assert all(max(s) - min(s) <= 1 for s in sizes.values())


def test_what_may_vary_inside_a_pack() -> None:
    base = TrialConfig()
    other = TrialConfig(objective=Hinge(), training=TrainingConfig(generator_lr=1.0), seed=9)
    assert base.shape() == other.shape()
    assert base.shape() != TrialConfig(training=TrainingConfig(iterations=7)).shape()


@dataclass(frozen=True)
class Alone(MlpGan):
    name: ClassVar[str] = "alone"
    stacks: ClassVar[bool] = False


@pytest.fixture
def alone() -> None:
    MODELS.add(Alone)


@pytest.mark.usefixtures("alone")
def test_models_that_do_not_stack_are_trained_one_by_one() -> None:
    configs = [TrialConfig(model=Alone(), seed=seed) for seed in range(3)]
    packs = make_packs([PlannedTrial(c.identity(), c, 0, 10) for c in configs], limit=64)
    assert [len(pack.trials) for pack in packs] == [1, 1, 1]


def test_a_trial_that_is_only_read_has_nothing_left_to_train() -> None:
    assert planned(4, 30, 0).remaining == 70
    assert planned(4, 100, 0).remaining == 0
    assert planned(4, 120, 0, end=100).remaining == 0


ORDERS = Orders(
    ReadingPlan(
        EvaluationConfig(50, 2, 10, metrics=(Prd(clusters=5), Frechet())), (Obrs(budgets=(1.0, 3.0)),)
    ),
    Plateau(patience=2, margin=0.5),
    (Goal("fid", "min"),),
)


def test_a_pack_survives_the_way_through_json() -> None:
    pack = Pack((planned(4, 0, 1), planned(4, 0, 2)))
    again, orders = Pack.from_json(pack.to_json(ORDERS))
    assert again == pack
    assert orders == ORDERS
    assert [t.config.identity() for t in again.trials] == [t.id for t in pack.trials]


def test_a_base_survives_it_too() -> None:
    config = TrialConfig(start=Start("0123456789ab", "kept", "another kind"))
    trial = PlannedTrial(config.identity(), config, 0, 10, base=7, finished=True)
    assert trial.needs_base
    again, _ = Pack.from_json(Pack((trial,)).to_json(ORDERS))
    assert again.trials == (trial,)
    assert again.trials[0].config.params() == config.params()
    assert not replace(trial, start=3).needs_base, "it goes on from its own state"


def test_a_trial_that_is_only_read_needs_its_base_and_has_nothing_to_go() -> None:
    config = TrialConfig(
        model=MlpGan(takes_lam=True),
        training=TrainingConfig(iterations=0),
        start=Start("0123456789ab", "kept"),
    )
    trial = PlannedTrial(config.identity(), config, 0, 0, base=7)
    assert (trial.remaining, trial.needs_base) == (0, True)
    assert Pack.from_json(Pack((trial,)).to_json(ORDERS))[0].trials == (trial,)


@pytest.mark.parametrize("preset", ["demo", "gaussians-8-small", "gaussians-8-lipschitz"])
def test_orders_and_trials_of_presets_survive_it_too(preset: str) -> None:
    sweep = load_sweep(preset)
    orders = Orders.of(sweep)
    configs = [config for point in sweep.space.grid() for config in sweep.repeats(point)]
    pack = Pack(tuple(PlannedTrial(c.identity(), c, 0, c.training.iterations) for c in configs))
    again, same = Pack.from_json(pack.to_json(orders))
    assert (again, same) == (pack, orders)
    assert same.plan.readings() == sweep.plan.readings()


def test_a_pack_without_refinements_has_none_on_the_other_side() -> None:
    bare = Orders(ReadingPlan(EvaluationConfig(50, 2, 10), ()), Plateau(), (Goal("fid", "min"),))
    _, orders = Pack.from_json(Pack((planned(4, 0, 1),)).to_json(bare))
    assert orders.plan.refinements == ()


@pytest.mark.usefixtures("alone")
def test_a_member_that_a_worker_does_not_have_is_one_sentence() -> None:
    config = TrialConfig(model=Alone())
    text = Pack((PlannedTrial("a", config, 0, 10),)).to_json(ORDERS)
    MODELS.forget("alone")
    with pytest.raises(UserError, match=r"'model\.name' cannot be 'alone'"):
        Pack.from_json(text)
