"""Whether the networks of a trial can be held down as it asks, before anything is trained."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.overrides import TorchFunctionMode

from trainables.config import TrialConfig
from trainables.training.networks import critic_stack, generator_stack

__all__ = ["check_fits"]


class _Unfilled(TorchFunctionMode):
    """Weights stay as memory is: torch's own initialisations do nothing.

    On torch's device without memory a first pass costs seconds, in which it loads its compiler.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        if getattr(func, "__module__", "") == nn.init.__name__:
            return args[0] if args else named["tensor"]
        return func(*args, **named)


def check_fits(config: TrialConfig) -> None:
    """Build the networks that are held down, without drawing numbers for them, and ask their constraints.

    A network that cannot be built so is asked when it is trained. Weights that nobody writes take no memory, and a
    single sample passes.

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
            with _Unfilled():
                built = stack(config.model, shape, classes, constraint)
        except Exception:  # of a user's module, which may want numbers to look at
            continue
        constraint.check_critic(built)
