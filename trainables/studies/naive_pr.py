"""Why PR-GAN needs another critic: the PR-divergence's own f-GAN beside it, on 8 Gaussians (thesis 5.2, figure 5.3).

The best critic of D_λ is a step. As it is learnt, ever fewer samples lie on its edge, and the generator's gradient goes
to 0 wherever the model then stands. The critic of another divergence knows the ratio, and goes on teaching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.naive_pr import NaivePR
from trainables.objectives.pr import PR
from trainables.sources.mixture import GaussianMixture
from trainables.training.population import Population

__all__ = ["Course", "NaiveStudy", "naive_study"]

MODEL = MlpGan(generator=(32, 32), critic=(64, 64))
NEAR = 3.0
"""Samples within so many σ of a mode are near it."""
HELD = 0.2
"""A mode is covered if so much of its due share of the samples is near it."""


@dataclass(frozen=True, eq=False)
class Course:
    """How training went for one objective at L trade-offs, at S looks on the way.

    Attributes:
        gradient: norm of Adam's mean of the generator's latest gradients, (S, L).
        near: share of samples within 3σ of a mode, (S, L).
        modes: share of the modes that are covered, (S, L).
        points: samples at the end, (L, n, 2).
    """

    gradient: Tensor
    near: Tensor
    modes: Tensor
    points: Tensor


@dataclass(frozen=True, eq=False)
class NaiveStudy:
    """Both objectives at λ in ``lambdas`` (L,), looked at after ``iterations`` (S,); ``means`` are the modes (8, 2)."""

    lambdas: Sequence[float]
    iterations: Sequence[int]
    means: Tensor
    naive: Course
    proposed: Course


def naive_study(
    lambdas: Sequence[float] = (0.1, 1.0, 10.0),
    *,
    iterations: int = 400,
    looks: int = 20,
    batch: int = 64,
    samples: int = 2000,
    seed: int = 0,
) -> NaiveStudy:
    """Train the same small GAN with ``naive_pr`` and with ``pr`` at every λ, as one pack; pure in the seed."""
    if not 1 <= looks <= iterations:
        raise ValueError(f"looks must lie from 1 to {iterations}, the iterations, got {looks}")
    training = TrainingConfig(
        iterations=iterations,
        batch_size=batch,
        critic_steps=1,
        generator_lr=1e-3,
        critic_lr=4e-3,
        ema=0.98,
        decay=0.0,
    )
    population = Population(
        [
            TrialConfig(dataset=Gaussians8(), model=MODEL, objective=objective, training=training, seed=seed)
            for objective in (*map(_naive, lambdas), *map(_proposed, lambdas))
        ]
    )
    law = population.source.law
    assert isinstance(law, GaussianMixture)
    seen, at = [], []
    for look in range(looks):
        population.advance((look + 1) * iterations // looks - population.iteration)
        at.append(population.iteration)
        seen.append(_look(population, law, samples))
    gradient, near, modes = (torch.stack(values) for values in zip(*seen, strict=True))
    points, half = population.sample(samples).x, len(lambdas)
    naive, proposed = (
        Course(gradient[:, part], near[:, part], modes[:, part], points[part])
        for part in (slice(None, half), slice(half, None))
    )
    return NaiveStudy(tuple(lambdas), at, law.means.float(), naive, proposed)


def _naive(lam: float) -> NaivePR:
    return NaivePR(lam=lam)


def _proposed(lam: float) -> PR:
    return PR(lam=lam)


def _look(population: Population, law: GaussianMixture, samples: int) -> tuple[Tensor, Tensor, Tensor]:
    """(T,) norm of the gradient, share of samples near a mode, share of modes covered."""
    points = population.sample(samples).x
    distance, mode = torch.cdist(points, law.means.to(points).expand(len(points), -1, -1)).min(2)
    near = (distance < NEAR * float(law.sigma)).float()
    held = torch.zeros(len(points), len(law.means)).scatter_add_(1, mode, near) / samples
    covered = held > HELD * law.weights.float()
    return (
        population.matrices["generator_first"].norm(dim=1),
        near.mean(1),
        covered.float().mean(1),
    )
