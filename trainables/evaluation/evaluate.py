"""What a population is worth: every trial measured, and at its end read through every refinement.

The result is plain data. Who tracks it, and where, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from trainables.evaluation.curves import model_curves
from trainables.evaluation.reading import PLAIN, Evaluation, Reading
from trainables.evaluation.real_side import RealSide, real_side
from trainables.evaluation.settings import ReadingPlan
from trainables.refinements import Proposals
from trainables.rejection.calibration import calibrate
from trainables.training.population import Population

__all__ = ["evaluate"]

_INERT = 1e-3
"""λ acts only if at least this share of the points generated in training lies on either side of the bend."""
_SHOWN = 500
"""Points of a trial kept for pictures."""


def evaluate(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
    """Measure every trial; with ``final``, also through every refinement, with points and PR curve to show.

    Time O(T · (n log n) · readings) in low dimension for n evaluation samples; memory O(T · K_max · n).
    """
    samples = plan.evaluation.samples
    step = population.iteration
    pool = population.sample(plan.proposals() if final else samples, step)
    log_ratio = population.log_ratio(pool)
    unseen = population.log_ratio(population.real(samples, step))
    slope, _ = calibrate(unseen.nan_to_num(), log_ratio[:, :samples].nan_to_num())
    finite = _finite(pool.x) & torch.isfinite(log_ratio).all(dim=1)
    diagnostics = _diagnostics(population, log_ratio[:, :samples], slope)
    uniform = population.accept_uniforms(pool.x.shape[1], step)
    curves: list[dict[str, Any]] = model_curves(population) if final else [{} for _ in population.configs]
    real = real_side(population.configs[0].dataset, plan.evaluation.features, samples)
    out = []
    for index in range(len(population.configs)):
        if not bool(finite[index]):
            out.append(_diverged(step, final))
            continue
        proposals = Proposals(
            pool.x[index].cpu(), (slope[index] * log_ratio[index]).cpu(), uniform[index].cpu()
        )
        readings = tuple(_readings(real, plan, proposals, final))
        shown = real.points[:_SHOWN].numpy() if final else None
        out.append(Evaluation(step, final, readings, diagnostics[index], shown, curves[index]))
    return out


def _finite(pool: Tensor) -> Tensor:
    """(T,) whether all samples (T, n, *shape) of a trial are finite."""
    return torch.isfinite(pool).flatten(1).all(dim=1)


def _diverged(iteration: int, final: bool) -> Evaluation:
    reason = f"diverged: samples or critic are not finite at iteration {iteration}; lower the learning rates"
    return Evaluation(iteration, final, diverged=reason)


def _readings(real: RealSide, plan: ReadingPlan, proposals: Proposals, final: bool) -> Iterator[Reading]:
    """The model as it is, then every refinement at every budget."""
    samples = plan.evaluation.samples
    own = proposals.points[:samples]
    metrics = {**real.measure(plan.evaluation, own), "acceptance": 1.0}
    yield Reading(*PLAIN, metrics, samples=own[:_SHOWN].numpy() if final else None)
    for refinement in plan.refinements if final else ():
        for refined in refinement.refine(proposals, samples):
            if refined.budget not in refinement.asked():
                raise ValueError(
                    f"refinement '{refinement.name}' gave budget {refined.budget}, which nobody asked for"
                )
            metrics = real.measure(plan.evaluation, refined.points)
            metrics["acceptance"] = refined.acceptance
            shown = refined.points[:_SHOWN].numpy()
            yield Reading(refinement.name, refined.budget, metrics, refined.cost, shown)


def _diagnostics(population: Population, log_ratio: Tensor, slope: Tensor) -> list[dict[str, float]]:
    """How training goes, trial by trial; what is not known of a trial is left out."""
    losses = population.losses
    columns = {
        "critic_loss": losses[:, 0],
        "generator_loss": losses[:, 1],
        "critic_lipschitz": population.lipschitz_bound(),
        "calibration": slope,
        **lambda_activity(population, log_ratio),
    }
    on_cpu = {name: values.cpu().tolist() for name, values in columns.items()}
    return [
        {name: values[index] for name, values in on_cpu.items() if values[index] == values[index]}
        for index in range(len(population.configs))
    ]


def lambda_activity(population: Population, log_ratio: Tensor) -> dict[str, Tensor]:
    """Shares (T,) of generated points below and above the bend of the loss now, and whether λ is inert.

    When r̂ never passes 1/λ, min(λ r̂, 1) is λ r̂ (or 1) everywhere and λ only scales the loss (or stops it).
    NaN for a trial without a λ; the question whether it is inert has no answer before λ has trained anything, as in a
    flow's warm-up.
    """
    now = population.objective.sides(log_ratio)
    now = torch.where(population.objective.bend.isnan().unsqueeze(1), torch.nan, now)
    training = population.lam_sides()
    inert = torch.where(training.isnan().any(dim=1), torch.nan, (training.amin(dim=1) < _INERT).float())
    return {"lam_below": now[:, 0], "lam_above": now[:, 1], "lam_inert": inert}
