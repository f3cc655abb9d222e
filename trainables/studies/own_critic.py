"""A critic that knows the ratio to one generator: trained alone while that stands still, then calibrated on new points.

A critic that follows a moving generator lags behind it. Rejection sampling asks for the ratio to the generator that is
sampled, so the thesis trains the critic on after the generator has stopped (Vérine 2024, 6.2.3 and C.2.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.constraints import Constraint
from trainables.objectives import Objective
from trainables.objectives.fgan import Gan
from trainables.rejection.calibration import calibrate
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.samplers.ratios import MOST_RATIOS, Ratios
from trainables.sources.source import Source
from trainables.start import Start
from trainables.training.population import Population
from trainables.training.precision import products
from trainables.training.rows import TrialState

__all__ = ["frozen", "own_ratios", "refined_draws"]

_OTHERS = 1
"""The repeat of draws that are read, other than those from which the budget's constant is found."""


def frozen(
    bases: Sequence[TrialConfig],
    states: Sequence[TrialState],
    iterations: int,
    rate: float,
    *,
    objective: Objective | None = None,
    constraint: Constraint | None = None,
    critic: str = "kept",
    device: torch.device | str = "cpu",
    source: Source | None = None,
) -> Population:
    """Trials that stand at the averaged generators of ``states`` and train their critics alone.

    O(T · batch · P) a step. Generators make samples as they do in use: one with batch normalisation goes by the
    statistics it has, and keeps them. Each trial goes on with the critic it had, or with a ``fresh`` one, Adam begins
    anew, and its ``rate`` falls linearly to 0 over the ``iterations``; ``advance(iterations)`` trains. ``objective`` is
    that of all critics, if left out logistic regression of real against generated points: critics of trials that were
    trained in different ways then estimate the ratio in the same way. ``constraint``: in place of their own.

    All but objective and training must allow trials to be stacked: equal data and models.
    """
    configs = [
        replace(
            base,
            objective=Gan() if objective is None else objective,
            constraint=base.constraint if constraint is None else constraint,
            training=replace(
                base.training,
                iterations=iterations + 1,  # the last is the generator's, and is not run
                critic_first=iterations,
                critic_steps=1,
                critic_lr=rate,
                decay=1.0,
            ),
            start=Start.at(base, critic),
        )
        for base in bases
    ]
    alone = Population(configs, device=device, source=source, starts=states)
    alone.generator.stand()
    return alone


def own_ratios(population: Population, count: int) -> list[Ratios | None]:
    """What each critic says of its generator, calibrated on ``count`` unseen real and as many generated points.

    None for a trial whose numbers are not finite. What ``kept_samplers`` writes down, and ``refined_draws`` takes.
    """
    step = population.iteration
    with products("float32", population.device):
        log_ratio = population.log_ratio(population.sample(max(count, MOST_RATIOS), step))
        unseen = population.log_ratio(population.real(count, step))
    slope, _ = calibrate(unseen.nan_to_num(), log_ratio[:, :count].nan_to_num())
    scale = slope * population.objective.slopes()
    values = slope.unsqueeze(1) * log_ratio[:, :MOST_RATIOS]
    sound = (torch.isfinite(values).all(dim=1) & torch.isfinite(scale)).tolist()
    rows = zip(sound, scale.tolist(), values.cpu().numpy(), strict=True)
    return [Ratios(one, own) if good else None for good, one, own in rows]


def refined_draws(
    population: Population, ratios: Sequence[Ratios | None], budget: float, count: int
) -> list[Tensor]:
    """Of ``count`` draws of every trial those that OBRS keeps at budget K, (about count/K, *shape) each.

    The constant c_K is that of the trial's ``ratios``, which other draws gave: what is kept is random, and independent.
    A trial without ratios keeps none. Reference: Vérine, thesis, theorem 6.2.1.
    """
    step = population.iteration
    with products("float32", population.device):
        drawn = population.sample(count, step, _OTHERS)
        log_ratio = population.objective.log_ratio(population.logits(drawn))
    uniform = population.accept_uniforms(count, step, _OTHERS)
    # The objective's own correction is in both.
    slopes = population.objective.slopes().tolist()
    kept = []
    for row, found in enumerate(ratios):
        if found is None:
            kept.append(drawn.x[row, :0])
            continue
        log_c = budget_constant(torch.from_numpy(found.values), budget)
        share = acceptance(log_ratio[row] * (found.scale / slopes[row]), log_c.to(log_ratio.device))
        kept.append(drawn.x[row][uniform[row] <= share])
    return kept
