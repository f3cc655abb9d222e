"""A model that takes λ: one training is a curve in λ, and is read at any λ of its range."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainables.training.trials import trial
from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.start import Start
from trainables.training.population import Population

TAKES = MlpGan(generator=(8, 8), critic=(8, 8), takes_lam=True)
PACK = [
    trial(TAKES, PR(lams=(0.1, 10.0))),
    trial(TAKES, PR(lam=2.0, lams=(1.0, 3.0), form="step", cover=0.4), seed=1),
    trial(TAKES, PR(lam=5.0)),
    trial(TAKES, Gan(), seed=1),
]
"""Two ranges, a single λ, and an objective without one."""


def test_a_trial_does_not_depend_on_the_ranges_of_its_neighbours() -> None:
    together = Population(PACK)
    together.advance(10)
    for index, config in enumerate(PACK):
        alone = Population([config])
        alone.advance(10)
        for name in ("generator", "critic", "average", "sides"):
            torch.testing.assert_close(
                together.matrices[name][index], alone.matrices[name][0], rtol=1e-3, atol=1e-5
            )
        torch.testing.assert_close(together.logits(together.sample(64))[index], alone.logits(alone.sample(64))[0],
                                   rtol=1e-3, atol=1e-4)  # fmt: skip


def test_a_resume_changes_nothing() -> None:
    whole, population = Population(PACK), Population(PACK)
    whole.advance(9)
    for stride in (4, 5):
        population.advance(stride)
        population = Population(PACK, population.states())
    for index in range(len(PACK)):
        again = population.state(index)
        assert all(torch.equal(again[name], value) for name, value in whole.state(index).items())


def test_every_sample_has_a_lambda_of_its_own_in_the_range_of_its_trial() -> None:
    population = Population(PACK)
    (drawn,) = population._conditions(7, 4000)
    low, high = drawn.exp().amin(dim=1), drawn.exp().amax(dim=1)
    torch.testing.assert_close(low, torch.tensor([0.1, 1.0, 5.0, 1.0]), rtol=0.01, atol=0)
    torch.testing.assert_close(high, torch.tensor([10.0, 3.0, 5.0, 1.0]), rtol=0.01, atol=0)
    assert abs(float(drawn[0].mean())) < 0.1, "evenly in log λ"
    assert not torch.equal(drawn, population._conditions(8, 4000)[0])
    (read,) = population.own_log_lam(3)
    torch.testing.assert_close(read.exp(), torch.tensor([1.0, 2.0, 5.0, 1.0]).unsqueeze(1).expand(4, 3))


def test_a_range_needs_a_model_that_takes_lambda() -> None:
    with pytest.raises(ValueError, match=r"objective\.lams needs a model that takes λ as an input"):
        trial(objective=PR(lams=(0.1, 10.0)))


def readings(base: TrialConfig, lams: list[float]) -> list[TrialConfig]:
    return [
        replace(
            base,
            objective=PR(lam=lam),
            training=TrainingConfig(iterations=0),
            start=Start.at(base, "kept"),
        )
        for lam in lams
    ]


def test_a_reading_is_the_base_at_its_lambda_critic_included() -> None:
    base = Population(PACK[:1])
    base.advance(12)
    lams = [0.1, 1.0, 10.0]
    read = Population(readings(PACK[0], lams), starts=[base.state(0)] * 3)
    pool, own = read.sample(50), base.sample(50)
    torch.testing.assert_close(pool.x[1], own.x[0])
    torch.testing.assert_close(read.logits(pool)[1], base.logits(own)[0])
    assert not torch.allclose(pool.x[0], pool.x[2])
    shared = own._replace(x=own.x.expand(3, -1, -1))
    logits = read.logits(shared)
    assert not torch.allclose(logits[0], logits[2]), "the critic hears λ too"
    assert read.losses.isnan().all(), "nothing was trained"
    assert read.lam_sides().isnan().all()


def test_training_goes_on_from_the_curve_at_one_lambda() -> None:
    base = Population(PACK[:1])
    base.advance(12)
    config = replace(PACK[0], objective=PR(lam=0.3), start=Start.at(PACK[0], "kept"))
    on = Population([config], starts=[base.state(0)])
    assert torch.equal(on.state(0)["critic"], base.state(0)["critic"])
    (drawn,) = on._conditions(0, 5)
    torch.testing.assert_close(drawn.exp(), torch.full((1, 5), 0.3))
    on.advance(4)
    assert not torch.equal(on.state(0)["generator"], base.state(0)["average"])
    assert bool(torch.isfinite(on.losses).all())


def test_a_curve_trades_recall_for_precision_along_lambda() -> None:
    model = MlpGan(generator=(16, 16), critic=(32, 32), takes_lam=True)
    training = TrainingConfig(iterations=200, batch_size=128, critic_steps=2, ema=0.95)
    bases = [
        TrialConfig(model=model, objective=PR(lams=(0.05, 20.0)), training=training, seed=seed)
        for seed in range(4)
    ]
    trained = Population(bases)
    trained.advance(200)
    lams = [0.05, 20.0]
    configs = [config for base in bases for config in readings(base, lams)]
    starts = [state for state in trained.states() for _ in lams]
    plan = ReadingPlan(EvaluationConfig(samples=500), ())
    found = [one.metrics for one in evaluate(Population(configs, starts=starts), plan, final=False)]
    for metric, rises, least in (("precision", True, 0.05), ("recall", False, 0.03)):
        small, large = torch.tensor([one[metric] for one in found]).reshape(4, 2).mean(dim=0).tolist()
        assert (large - small if rises else small - large) > least, (metric, small, large)
