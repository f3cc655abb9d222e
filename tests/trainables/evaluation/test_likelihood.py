"""Likelihoods of unseen samples: in nats, and in bits per dimension where data are levels of grey."""

from __future__ import annotations

from math import log, log2

import pytest
import torch

from tests.trainables.evaluation.images import Level, SmallDigits, Uniform
from tests.trainables.training.trials import FLOW, MLP, trial
from trainables.evaluation.likelihood import likelihood
from trainables.objectives.mle import MaximumLikelihood
from trainables.training.population import Population


def test_a_uniform_law_takes_the_logarithm_of_the_levels() -> None:
    population = Population([trial(Uniform(), MaximumLikelihood(), dataset=SmallDigits())])
    unseen = population.real(50)
    assert len(unseen.x.unique()) > 17, "levels are spread"
    found = likelihood(population, unseen)
    assert found["nll"].item() == pytest.approx(64 * log(2 + Level))
    assert found["bits_per_dim"].item() == pytest.approx(log2(17))


def test_points_have_no_bits_and_samplers_no_likelihood() -> None:
    flows = Population([trial(FLOW, MaximumLikelihood(), seed=seed) for seed in (0, 1)])
    unseen = flows.real(40)
    found = likelihood(flows, unseen)
    assert set(found) == {"nll"}
    torch.testing.assert_close(found["nll"], -flows.log_prob(unseen).double().mean(1))
    gans = Population([trial(MLP)])
    assert likelihood(gans, gans.real(40)) == {}


def test_what_is_not_finite_is_not_known() -> None:
    population = Population([trial(Uniform(), MaximumLikelihood(), dataset=SmallDigits())])
    unseen = population.real(5)
    found = likelihood(population, unseen._replace(x=unseen.x + 9))
    assert found["nll"].isnan().all()
    assert found["bits_per_dim"].isnan().all()
