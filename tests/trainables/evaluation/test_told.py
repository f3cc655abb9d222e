"""What is told of training is by trial, and only what is known."""

from __future__ import annotations

import math

import torch

from tests.trainables.training.trials import trial
from trainables.evaluation.told import told_of_training
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.training.population import Population


def test_what_is_not_known_of_a_trial_is_left_out() -> None:
    population = Population([trial(objective=PR(lam=1.0)), trial(objective=Gan(), seed=1)])
    population.advance(2)
    ratio = torch.tensor([[-1.0, -1.0, -1.0, 2.0]]).expand(2, 4)
    bound = torch.tensor([2.0, math.nan])
    own, plain = told_of_training(population, ratio, ratio, torch.ones(2), {"critic_lipschitz": bound})
    assert own["critic_lipschitz"] == 2.0
    assert "critic_lipschitz" not in plain
    assert (own["lam_below"], own["lam_above"]) == (0.75, 0.25)
    assert "lam_below" not in plain
    assert own["calibration"] == plain["calibration"] == 1.0
    assert {"critic_loss", "generator_loss"} <= own.keys() & plain.keys()
