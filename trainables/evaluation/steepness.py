"""How steep critics and generators are: certified from above, seen from below, and the ceiling that follows.

A Lipschitz bound of a generator is a ceiling on its PR curve (``trainables.precision_recall.ceilings``).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trainables.lipschitz.slopes import gradient_norms, jacobian_norms, pairwise_slopes
from trainables.precision_recall.ceilings import forward_bound
from trainables.randomness import Stream
from trainables.sources.source import Batch
from trainables.training.population import Population

__all__ = ["ceilings", "critic_slopes", "generator_slopes", "steepness"]

_POINTS = 256
"""Real points, and generated ones, at which a critic's slope is looked at."""
_LATENTS = 64
"""Latents at which a generator's is."""
_STEP = (1 << 50) + (1 << 49)
"""Steps from here on are those of these looks, which neither training nor other evaluations reach."""
_RISK = 0.05


def steepness(population: Population, fake: Batch, unseen: Batch, real: Tensor) -> dict[str, Tensor]:
    """Columns (T,) by the key of their diagnostic; NaN where there is no number.

    ``fake`` and ``unseen``: generated and real points (T, n, *shape); ``real`` (n, *shape) stand for the data.
    """
    bound = population.generator_lipschitz_bound()
    return {
        "critic_lipschitz": population.lipschitz_bound(),
        "critic_slope": critic_slopes(population, fake, unseen),
        "generator_lipschitz": bound,
        "generator_slope": generator_slopes(population),
        **ceilings(population, bound, real),
    }


def critic_slopes(population: Population, fake: Batch, unseen: Batch) -> Tensor:
    """(T,) the largest slope of the critics' logits, at points and between them: at most their Lipschitz constants."""
    networks, parameters = population.networks, population.final_critic()
    largest = []
    for x, y in (fake, unseen):
        points, classes = x[:, :_POINTS], networks.given(None if y is None else y[:, :_POINTS])
        given = [*classes, *population.own_log_lam(points.shape[1])]

        def score(at: Tensor, given: list[Tensor] = given) -> Tensor:
            return networks.score(parameters, at, given, _STEP, training=False)

        largest.append(gradient_norms(score, points).amax(dim=1))
        if not classes:  # of one class a critic is one function
            with torch.no_grad():
                largest.append(pairwise_slopes(points, score(points)).amax(dim=1))
    return torch.stack(largest).amax(dim=0)


def generator_slopes(population: Population) -> Tensor:
    """(T,) the same of the averaged generators: singular values of their Jacobians, and slopes between latents.

    NaN for a generator that cannot be differentiated twice.
    """
    networks, parameters = population.networks, population.final_generator()
    at = _STEP + population.iteration
    latent = population.noise.normal(Stream.POOL, at, _LATENTS, *population.latent_shape)
    classes = networks.labels(at, _LATENTS)
    given = [*classes, *population.own_log_lam(_LATENTS)]

    def generate(z: Tensor) -> Tensor:
        return networks.generate(parameters, z, given, at, training=False)

    try:
        largest = jacobian_norms(generate, latent).amax(dim=1)
    except RuntimeError:
        return torch.full((len(latent),), torch.nan, device=latent.device)
    if classes:
        return largest
    with torch.no_grad():
        return torch.maximum(largest, pairwise_slopes(latent, generate(latent)).amax(dim=1))


def ceilings(population: Population, bound: Tensor, real: Tensor) -> dict[str, Tensor]:
    """(T,) what α_λ cannot exceed, at λ = 1 and at a trial's own λ; NaN without a certified ``bound`` (T,)."""
    lam = (-population.objective.bend).exp().tolist()
    out = torch.full((2, len(lam)), torch.nan)
    certified = [index for index, value in enumerate(bound.tolist()) if 0 < value < math.inf]
    if certified:
        origin = torch.zeros(len(lam), 1, *population.latent_shape, device=population.device)
        with torch.no_grad():
            parameters, given = population.final_generator(), population.own_log_lam(1)
            centres = population.networks.generate(parameters, origin, given, _STEP, training=False).flatten(
                1
            )
        points, latent_dim = real.flatten(1), math.prod(population.latent_shape)
        for index in certified:
            if not bool(torch.isfinite(centres[index]).all()):
                continue
            own = lam[index] if math.isfinite(lam[index]) else 1.0
            least = forward_bound(points, centres[index], float(bound[index]), latent_dim, [1.0, own], _RISK)
            out[0, index] = 1.0 - least[0]
            if math.isfinite(lam[index]):
                out[1, index] = min(1.0, own) - least[1]
    return {"ceiling_alpha": out[0], "ceiling_own": out[1]}
