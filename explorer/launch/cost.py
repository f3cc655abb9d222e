"""What a trial costs, from the sizes in its config alone."""

from __future__ import annotations

from math import inf

from explorer.errors import UserError, shown
from trainables.config import TrialConfig
from trainables.declarations import reason

__all__ = ["CPU_FLOPS", "flops", "work"]

CPU_FLOPS = 1.2e10
"""Floating-point operations a second that a packed small model was seen to reach on one CPU core; a rough guide."""


def work(config: TrialConfig, start: int, end: int) -> float | None:
    """Floating-point operations of training from iteration ``start`` to ``end``; None where a model does not tell."""
    alone = max(0, min(end, config.training.critic_first) - start)
    critic, whole = flops(config, whole=False), flops(config)
    return None if critic is None or whole is None else alone * critic + max(0, end - start - alone) * whole


def flops(config: TrialConfig, whole: bool = True) -> float | None:
    """Floating-point operations of one iteration: 2 per multiplication forward, 4 backward, per point of the batch.

    A critic step sees two batches through the critic and one, forward only, through the generator; a generator step,
    which only a ``whole`` iteration has, passes both networks forward and backward once. None where a model does not
    tell.
    """
    dataset, training = config.dataset, config.training
    told = f"multiplications() of model '{config.model.name}' must give two numbers or None"
    try:
        counted = config.model.multiplications(dataset.shape, dataset.classes)
        if counted is None:
            return None
        generator, critic = map(float, counted)
    except (Exception, SystemExit) as error:
        raise UserError(f"{told}, but it raised {reason(error)}") from error
    if not (0 <= generator < inf and 0 <= critic < inf):
        raise UserError(f"{told}, got {shown(counted)}")
    critic_step = 2 * 6 * critic + 2 * generator
    generator_step = 6 * (generator + critic) if whole else 0.0
    return float(training.batch_size * (training.critic_steps * critic_step + generator_step))
