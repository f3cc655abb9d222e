"""Whether the networks of a trial can be held down as it asks, before anything is trained."""

from __future__ import annotations

import torch

from trainables.config import TrialConfig
from trainables.training.networks import critic_stack, generator_stack

__all__ = ["check_fits"]


def check_fits(config: TrialConfig) -> None:
    """Build the networks that are held down, without numbers in them, and ask their constraints.

    A network that cannot be built so is asked when it is trained. Time and memory do not grow with its width.

    Raises:
        ValueError: a constraint refuses its network.
    """
    shape, classes = config.dataset.shape, config.dataset.classes
    for constraint, stack in (
        (config.constraint, critic_stack),
        (config.generator_constraint, generator_stack),
    ):
        if not constraint.looks():
            continue
        try:
            with torch.device("meta"):
                built = stack(config.model, shape, classes, constraint)
        except Exception:  # of a user's module, which may want numbers to look at
            continue
        constraint.check_critic(built)
