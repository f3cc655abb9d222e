"""Slopes that are seen lie below what is certified, and ceilings above what models reach."""

from __future__ import annotations

from functools import cache
from math import isnan

import pytest
import torch

from tests.trainables.constraints.images import pictures
from tests.trainables.training.members import Clusters, Conditional, small
from tests.trainables.training.trials import FLOW, MLP, trial
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.evaluation.steepness import ceilings, critic_slopes, generator_slopes, steepness
from trainables.models.residual import Residual
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.precision_recall.ceilings import forward_bound
from trainables.training.population import Population

KEYS = {
    "critic_lipschitz", "critic_slope", "generator_lipschitz", "generator_slope", "ceiling_alpha", "ceiling_own"
}  # fmt: skip


@cache
def population() -> Population:
    """Generators that are hardly steep, steep enough, and free."""
    from dataclasses import replace

    held = [(PR(lam=0.5), Spectral(lipschitz=0.05)), (Gan(), Spectral(lipschitz=50.0)), (PR(lam=2.0), Free())]
    configs = [replace(trial(MLP, o, Spectral(lipschitz=2.0)), generator_constraint=c) for o, c in held]
    made = Population(configs)
    made.advance(10)
    return made


def looked_at(of: Population, samples: int = 300) -> dict[str, torch.Tensor]:
    return steepness(of, of.sample(samples), of.real(samples), of.source.reference(samples).x)


def test_what_is_seen_lies_below_what_is_certified() -> None:
    found = looked_at(population())
    assert set(found) == KEYS
    for network in ("critic", "generator"):
        slope, bound = found[f"{network}_slope"], found[f"{network}_lipschitz"]
        assert bool((slope > 0.05 * bound).all())
        assert bool((slope <= bound * (1 + 1e-5)).all())
    torch.testing.assert_close(found["critic_lipschitz"], torch.full((3,), 2.0), rtol=1e-5, atol=0)
    torch.testing.assert_close(
        found["generator_lipschitz"][:2], torch.tensor([0.05, 50.0]), rtol=1e-5, atol=0
    )


def test_a_flat_generator_has_a_low_ceiling_and_a_steep_one_none() -> None:
    found = looked_at(population())
    low, high, _ = found["ceiling_alpha"].tolist()
    assert low < 0.2  # within 0.05 · 3 of one point there is little of eight Gaussians
    assert high == pytest.approx(1.0, abs=0.01)
    own = found["ceiling_own"].tolist()
    assert own[0] <= 0.5
    assert isnan(own[1])  # the GAN has no λ
    origin = torch.zeros(3, 1, *population().latent_shape)
    centre = population().networks.generate(population().final_generator(), origin, [], 0, training=False)[
        0, 0
    ]
    real = population().source.reference(300).x
    bound = float(found["generator_lipschitz"][0])
    due = forward_bound(real, centre.detach(), bound, 2, [1.0, 0.5], 0.05)
    assert [low, own[0]] == pytest.approx([1 - due[0], 0.5 - due[1]], abs=1e-5)


def test_without_a_certificate_there_is_no_ceiling_but_a_slope() -> None:
    flow = Population([trial(FLOW, PR(warmup=0))])
    found = looked_at(flow)
    for key in ("generator_lipschitz", "ceiling_alpha", "ceiling_own"):
        assert bool(found[key].isnan().all()), key
    assert float(found["generator_slope"]) == pytest.approx(1.0, abs=1e-4)  # couplings begin as the identity
    certain = ceilings(flow, torch.tensor([1.0]), flow.source.reference(300).x)
    assert 0 < float(certain["ceiling_alpha"]) < 1


def test_a_model_that_is_built_to_be_bounded_is_certified() -> None:
    flow = Residual(blocks=2, width=4, critic=(8,), block_constant=0.5)
    found = looked_at(Population([trial(flow, PR(warmup=0))]))
    assert float(found["generator_lipschitz"]) == pytest.approx(4.0)  # (1 - 1/2)^-2
    assert 0 < float(found["generator_slope"]) <= 4.0
    assert float(found["ceiling_alpha"]) <= 1.0


def test_images_and_classes_have_slopes_too() -> None:
    images = Population([pictures(constraint=Spectral(lipschitz=0.7), residual=True)])
    found = looked_at(images, 50)
    assert 0 < float(found["critic_slope"]) <= 0.7 * (1 + 1e-5)
    assert 0 < float(found["generator_slope"]) <= float(found["generator_lipschitz"])
    labelled = Population([small(Conditional(), dataset=Clusters())])
    assert float(critic_slopes(labelled, labelled.sample(50), labelled.real(50))) > 0
    assert float(generator_slopes(labelled)) > 0
    assert isnan(float(labelled.generator_lipschitz_bound()))


def test_a_diverged_trial_spoils_no_other() -> None:
    made = Population(population().configs, population().states())
    before = looked_at(made)
    made.matrices["average"][0] = torch.nan
    after = looked_at(made)
    for key in KEYS - {"critic_slope"}:
        torch.testing.assert_close(after[key][1:], before[key][1:], rtol=1e-5, atol=0, equal_nan=True)
    assert isnan(float(after["generator_slope"][0]))
