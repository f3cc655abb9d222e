"""What objectives share: the weight of the likelihood, the warm-up, and which models they may have."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from tests.trainables.training.trials import FLOW, MLP
from trainables.objectives import OBJECTIVES, Adversarial, Objective
from trainables.objectives.fgan import Gan
from trainables.objectives.hinge import Hinge


def test_an_objective_is_two_losses_and_a_ratio() -> None:
    assert Objective.__abstractmethods__ == {"critic_loss", "generator_loss", "log_ratio"}
    assert not hasattr(Adversarial, "name")
    assert OBJECTIVES["pr"].rows == ("likelihood", "warmup", "lam")


def test_warm_up_is_a_quarter_of_all_where_there_is_a_density() -> None:
    assert Gan().warmup_iterations(FLOW, 100) == 25
    assert Gan().warmup_iterations(FLOW, 7) == 1
    assert Gan(warmup=0).warmup_iterations(FLOW, 100) == 0
    assert Gan(warmup=60).warmup_iterations(FLOW, 100) == 60
    assert Gan().warmup_iterations(MLP, 100) == 0


def test_the_weight_of_the_likelihood_is_a_field() -> None:
    assert Gan().nll_weight(FLOW) == 0.0
    assert Gan(likelihood=0.3).nll_weight(FLOW) == 0.3
    assert Gan(likelihood=1).likelihood == 1.0
    assert isinstance(Gan(likelihood=1).likelihood, float)


def test_likelihood_needs_a_density() -> None:
    Gan().check_model(MLP)
    Gan(likelihood=0, warmup=0).check_model(MLP)
    Gan(likelihood=1, warmup=3).check_model(FLOW)
    for field in ("likelihood", "warmup"):
        with pytest.raises(ValueError, match=r".") as refusal:
            Hinge(**{field: 2}).check_model(MLP)
        assert str(refusal.value) == (
            f"objective.{field} needs a model with a density, which 'mlp_gan' has not; "
            "leave it out, or use model realnvp"
        )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        *[({"likelihood": w}, f"objective.likelihood is a weight ≥ 0, got {w}") for w in (-0.1, inf, nan)],
        ({"warmup": -1}, "objective.warmup must be ≥ 0, got -1"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Gan(**fields)
    assert str(refusal.value) == sentence
