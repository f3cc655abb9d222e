"""How training goes, read off a population at an evaluation: numbers by the keys of the diagnostics."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.training.population import Population

__all__ = ["told_of_training"]

_INERT = 1e-3
"""λ acts only if at least this share of the points generated in training lies on either side of the bend."""


def told_of_training(
    population: Population, logits: Tensor, log_ratio: Tensor, slope: Tensor, told: dict[str, Tensor]
) -> list[dict[str, float]]:
    """How training goes, trial by trial; what is not known of a trial is left out."""
    losses = population.losses
    columns = {
        "critic_loss": losses[:, 0],
        "generator_loss": losses[:, 1],
        "calibration": slope,
        "critic_saturation": population.networks.saturated(logits),
        **_lambda_activity(population, log_ratio),
        **told,
    }
    on_cpu = {name: values.cpu().tolist() for name, values in columns.items()}
    return [
        {name: values[index] for name, values in on_cpu.items() if values[index] == values[index]}
        for index in range(len(population.configs))
    ]


def _lambda_activity(population: Population, log_ratio: Tensor) -> dict[str, Tensor]:
    """Shares (T,) of generated points below and above the bend of the loss now, and whether λ is inert, and how.

    When r̂ never passes 1/λ, min(λ r̂, 1) is λ r̂ everywhere or 1 everywhere. The first never caps: λ only scales the
    loss. The second starves: no gradient reaches the generator. Either is so if the share of the other side, averaged
    over training, is below one in a thousand. NaN for a trial without a λ; the question has no answer before λ has
    trained anything, as in a flow's warm-up or while the critic is trained alone.
    """
    now = population.objective.sides(log_ratio)
    now = torch.where(population.objective.bend.isnan().unsqueeze(1), torch.nan, now)
    training = population.lam_sides()
    starves, never_caps = torch.where(training.isnan(), torch.nan, (training < _INERT).float()).unbind(dim=1)
    return {
        "lam_below": now[:, 0],
        "lam_above": now[:, 1],
        "lam_inert": torch.maximum(starves, never_caps),
        "lam_never_caps": never_caps,
        "lam_starves": starves,
    }
