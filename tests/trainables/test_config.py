"""A trial's name depends on what has an effect, and every refusal says what to do."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.config import (
    ConstraintConfig,
    DatasetConfig,
    EvaluationConfig,
    ModelConfig,
    ObjectiveConfig,
    RefinementConfig,
    TrainingConfig,
    TrialConfig,
    flatten,
)

FLOW = ModelConfig(name="realnvp")
OBJECTIVES = ["kl", "reverse_kl", "js", "chi2", "gan", "hinge"]


def trial(**sections: Any) -> TrialConfig:
    return TrialConfig(**sections)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_lam_does_not_name_an_objective_without_it(name: Any) -> None:
    plain = trial(objective=ObjectiveConfig(name=name))
    dressed = trial(objective=ObjectiveConfig(name=name, lam=3.0, critic="chi2", form="primal"))
    assert plain.identity() == dressed.identity()
    assert "objective.lam" not in dressed.params()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"constraint": ConstraintConfig("none", 7.0)}, {}),
        ({"model": ModelConfig(couplings=6, width=9)}, {}),
        ({"model": ModelConfig(size=None, generator=(32, 32), critic=(64, 64, 64), latent=2)}, {}),
        ({"training": TrainingConfig(warmup=100)}, {}),
        ({"objective": ObjectiveConfig(lam=1, critic="logistic", form="log", likelihood=0)}, {}),
        ({"refinement": RefinementConfig((4, 2, 2, 1.5))}, {}),
        ({"model": replace(FLOW, latent=5, generator=(3,))}, {"model": FLOW}),
        (
            {"model": FLOW, "objective": ObjectiveConfig("mle"), "training": TrainingConfig(warmup=9)},
            {"model": FLOW, "objective": ObjectiveConfig("mle", likelihood=0.5)},
        ),
        (
            {"model": FLOW, "objective": ObjectiveConfig("flow_gan")},
            {"model": FLOW, "objective": ObjectiveConfig("flow_gan", likelihood=0.1)},
        ),
        ({"model": FLOW}, {"model": FLOW, "training": TrainingConfig(warmup=500)}),
    ],
)
def test_what_has_no_effect_is_not_part_of_the_name(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert trial(**one).resolved() == trial(**other).resolved()
    assert trial(**one).identity() == trial(**other).identity()


@pytest.mark.parametrize(
    "changed",
    [
        {"objective": ObjectiveConfig(lam=2.0)},
        {"objective": ObjectiveConfig(critic="chi2")},
        {"objective": ObjectiveConfig(form="primal")},
        {"objective": ObjectiveConfig("kl")},
        {"constraint": ConstraintConfig("spectral")},
        {"constraint": ConstraintConfig("spectral", 1.0)},
        {"model": ModelConfig(size="medium")},
        {"model": ModelConfig(latent=3)},
        {"model": FLOW},
        {"refinement": RefinementConfig((1.0, 8.0))},
        {"training": TrainingConfig(generator_lr=2e-3)},
        {"evaluation": EvaluationConfig(k=5)},
        {"seed": 1},
    ],
)
def test_what_has_an_effect_is_part_of_the_name(changed: dict[str, Any]) -> None:
    assert trial(**changed).identity() != trial().identity()


@given(whole=st.integers(1, 50), budgets=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_one_and_one_point_zero_are_one_trial(whole: int, budgets: list[int]) -> None:
    def spelled(number: type) -> TrialConfig:
        return trial(
            objective=ObjectiveConfig(lam=number(whole)),
            constraint=ConstraintConfig("spectral", number(whole)),
            refinement=RefinementConfig(tuple(number(k) for k in budgets)),
            training=TrainingConfig(generator_lr=number(whole), beta1=number(0)),
        )

    assert spelled(int).identity() == spelled(float).identity()
    assert json.dumps(spelled(int).params()) == json.dumps(spelled(float).params())


@given(order=st.permutations(sorted(asdict(TrainingConfig()))))
def test_the_order_of_keys_does_not_matter(order: list[str]) -> None:
    values = asdict(TrainingConfig(iterations=7, ema=0.9))
    shuffled = trial(training=TrainingConfig(**{key: values[key] for key in order}))
    assert shuffled.identity() == trial(training=TrainingConfig(iterations=7, ema=0.9)).identity()


@pytest.mark.parametrize("model", [ModelConfig(), FLOW])
@pytest.mark.parametrize("objective", [ObjectiveConfig(), ObjectiveConfig("gan", lam=4)])
def test_resolving_twice_changes_nothing(model: ModelConfig, objective: ObjectiveConfig) -> None:
    once = trial(model=model, objective=objective).resolved()
    assert once.resolved() == once
    assert once.identity() == trial(model=model, objective=objective).identity()


def test_the_name_is_twelve_hex_digits_that_stay() -> None:
    # Stored sweeps are found again by this name: it may change only on purpose.
    assert trial().identity() == IDENTITY_OF_DEFAULTS
    assert len(IDENTITY_OF_DEFAULTS) == 12


IDENTITY_OF_DEFAULTS = "19a4b1067d69"


def test_params_are_dotted_paths_of_what_applies() -> None:
    gan = trial(objective=ObjectiveConfig(lam=0.5), constraint=ConstraintConfig("spectral", 3)).params()
    assert gan["objective.lam"] == 0.5
    assert gan["constraint.lipschitz"] == 3.0
    assert gan["model.critic"] == "[64, 64, 64]"
    assert gan["refinement.budgets"] == "[1.0, 1.5, 2.0, 4.0]"
    assert gan["seed"] == 0
    assert not {"model.size", "model.couplings", "objective.likelihood", "training.warmup"} & set(gan)
    flow = trial(model=FLOW, training=TrainingConfig(iterations=100)).params()
    assert (flow["model.couplings"], flow["model.width"], flow["training.warmup"]) == (4, 64, 25)
    assert flow["objective.likelihood"] == 0.0
    assert not {"model.generator", "model.latent", "constraint.lipschitz"} & set(flow)


def test_flatten() -> None:
    nested = {"a": {"b": 1, "c": {"d": None, "e": (1.5, 2.0)}}, "f": False, "g": [], "h": {}}
    assert flatten(nested) == {"a.b": 1, "a.c.e": "[1.5, 2.0]", "f": False, "g": "[]"}


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"seed": 5}, True),
        ({"objective": ObjectiveConfig("hinge")}, True),
        ({"constraint": ConstraintConfig("spectral", 2)}, True),
        ({"refinement": RefinementConfig((9.0,))}, True),
        ({"training": TrainingConfig(generator_lr=0.1, critic_lr=0.2, ema=0.5, beta1=0.1, beta2=0.2)}, True),
        ({"model": ModelConfig(size=None, generator=(32, 32), critic=(64, 64, 64))}, True),
        ({"model": ModelConfig(latent=4)}, False),
        ({"model": FLOW}, False),
        ({"training": TrainingConfig(iterations=2001)}, False),
        ({"training": TrainingConfig(batch_size=255)}, False),
        ({"training": TrainingConfig(critic_steps=1)}, False),
        ({"evaluation": EvaluationConfig(samples=999)}, False),
        ({"evaluation": EvaluationConfig(every=100)}, False),
    ],
)
def test_shape_tells_what_can_be_stacked(change: dict[str, Any], same: bool) -> None:
    assert (trial(**change).shape() == trial().shape()) is same


REFUSED: list[tuple[Any, str]] = [
    (lambda: ModelConfig(generator=()), "model.generator needs at least one hidden layer, got an empty list"),
    (lambda: ModelConfig(critic=()), "model.critic needs at least one hidden layer, got an empty list"),
    (lambda: ModelConfig(critic=(8, 0)), "model.critic widths must be positive and finite, got 0"),
    (lambda: ModelConfig(latent=0), "model.latent must be positive and finite, got 0"),
    (lambda: ModelConfig(width=-1), "model.width must be positive and finite, got -1"),
    (lambda: ModelConfig(couplings=1), "model.couplings must be ≥ 2 so that every coordinate moves, got 1"),
    *[
        (
            lambda lam=lam: ObjectiveConfig(lam=lam),
            f"λ must be positive and finite, got {lam}; large λ asks for precision, small λ for recall",
        )
        for lam in (0.0, -1.0, inf, nan)
    ],
    *[
        (lambda w=w: ObjectiveConfig(likelihood=w), f"objective.likelihood is a weight ≥ 0, got {w}")
        for w in (-0.1, inf, nan)
    ],
    (
        lambda: ConstraintConfig("spectral", 0.0),
        "constraint.lipschitz must be positive and finite, got 0.0",
    ),
    *[
        (
            lambda k=k: RefinementConfig((2.0, k)),
            f"budget K must be ≥ 1, got {k:g}; use K=1 to accept every sample",
        )
        for k in (0.5, nan, inf)
    ],
    *[
        (
            lambda name=name: TrainingConfig(**{name: 0}),
            f"training.{name} must be positive and finite, got 0",
        )
        for name in ("iterations", "batch_size", "critic_steps", "generator_lr", "critic_lr")
    ],
    *[
        (
            lambda name=name, v=v: TrainingConfig(**{name: v}),
            f"training.{name} must be in [0, 1), got {v}",
        )
        for name in ("beta1", "beta2", "ema")
        for v in (1.0, -0.1, nan)
    ],
    (lambda: TrainingConfig(warmup=-1), "training.warmup must be ≥ 0, got -1"),
    *[
        (lambda name=name: EvaluationConfig(**{name: 0}), f"evaluation.{name} must be positive and finite")
        for name in ("samples", "k", "every")
    ],
    (
        lambda: EvaluationConfig(samples=3, k=3),
        "evaluation.samples must exceed evaluation.k, got 3 samples for k=3",
    ),
    *[
        (
            lambda name=name: trial(objective=ObjectiveConfig(name)),
            f"objective '{name}' needs a likelihood, which model 'mlp_gan' lacks; use model realnvp",
        )
        for name in ("mle", "flow_gan")
    ],
    (
        lambda: trial(objective=ObjectiveConfig(likelihood=0.1)),
        "objective.likelihood needs a flow, got model 'mlp_gan'; use model realnvp",
    ),
    (
        lambda: trial(model=FLOW, dataset=DatasetConfig("mixture1d")),
        "realnvp splits coordinates and needs at least 2 of them, got dataset 'mixture1d'; use model mlp_gan",
    ),
    *[
        (lambda seed=seed: trial(seed=seed), f"seed must be a whole number in [0, 2^62), got {seed}")
        for seed in (-1, 2**62)
    ],
]


@pytest.mark.parametrize(("build", "sentence"), REFUSED)
def test_refusals_say_what_is_wrong(build: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        build()
    assert str(refusal.value).startswith(sentence)


def test_configs_are_read_without_torch() -> None:
    import subprocess
    import sys

    code = "import sys, trainables.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
