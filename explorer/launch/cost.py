"""What a trial costs, from the sizes in its config alone."""

from __future__ import annotations

from itertools import pairwise

from trainables.config import ModelConfig, TrialConfig

__all__ = ["CPU_FLOPS", "flops"]

CPU_FLOPS = 1.2e10
"""Floating-point operations a second that a packed small model was seen to reach on one CPU core; a rough guide."""

_DIMENSIONS = {"mixture1d": 1}


def _layers(*widths: int) -> int:
    return sum(a * b for a, b in pairwise(widths))


def _parameters(model: ModelConfig, dim: int) -> tuple[int, int]:
    """Weights of generator and critic, biases left out."""
    model = model.resolved()
    critic = _layers(dim, *(model.critic or ()), 1)
    if model.name == "realnvp":
        half = max(1, dim // 2)
        width = model.width or 0
        return (model.couplings or 0) * _layers(half, width, width, 2 * (dim - half)), critic
    return _layers(model.latent or 0, *(model.generator or ()), dim), critic


def flops(config: TrialConfig) -> float:
    """Floating-point operations of one iteration: 2 per weight forward, 4 backward, per point of the batch.

    A critic step sees two batches through the critic and one, forward only, through the generator; a generator step
    passes both networks forward and backward once.
    """
    generator, critic = _parameters(config.model, _DIMENSIONS.get(config.dataset.name, 2))
    training = config.training
    critic_step = 2 * 6 * critic + 2 * generator
    return float(training.batch_size * (training.critic_steps * critic_step + 6 * (generator + critic)))
