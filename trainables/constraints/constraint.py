"""What a constraint is: any of the hooks below, each of which may be left as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member

if TYPE_CHECKING:
    from torch import Tensor, nn

    from trainables.training.stack import Stack

__all__ = ["Columns", "Constraint", "Parameters"]

Columns = Mapping[str, "Tensor"]
"""Fields named in ``rows``, one value per trial: (T,) each."""
Parameters = dict[str, "Tensor"]
"""Parameters of T stacked networks by name, each (T, *shape)."""


class Constraint(Member):
    """A member of the family of constraints, of critics and, but for penalties, of generators.

    The same hooks serve one trial and many: tensors have a leading dimension T of trials, and no hook may mix them.
    "Critic" in the hooks' arguments is whichever network is constrained.

    Attributes:
        prepares: whether ``prepare`` changes modules; such trials are packed with their like alone.
    """

    prepares: ClassVar[bool] = False

    def prepare(self, module: nn.Module) -> nn.Module:
        """The freshly built module, with other activations for example; its parameters stay those of the model."""
        return module

    @classmethod
    def penalises(cls) -> bool:
        """Whether it is a penalty on the critic's gradients, which a generator has not."""
        return cls.penalty is not Constraint.penalty

    @classmethod
    def looks(cls) -> bool:
        """Whether it looks at a network before it holds it down, and may refuse it."""
        return cls.check_critic is not Constraint.check_critic

    def check_critic(self, critic: Stack) -> None:
        """Raise ``ValueError`` with a sentence if such a network cannot be constrained."""

    def initial(self, critic: Stack) -> Tensor | None:
        """(U,) what the constraint remembers of one trial from step to step; None for nothing."""
        return None

    def weights(
        self, critic: Stack, parameters: Parameters, columns: Columns, state: Tensor | None, update: bool
    ) -> Parameters:
        """The parameters to train with; with ``update``, ``state`` (T, U) is advanced in place."""
        return parameters

    def final_weights(self, critic: Stack, parameters: Parameters, columns: Columns) -> Parameters:
        """The parameters to evaluate with, where exactness matters more than time."""
        return parameters

    def penalty(
        self,
        score: Callable[[Tensor], Tensor],
        real: Tensor,
        fake: Tensor,
        uniform: Tensor,
        columns: Columns,
    ) -> Tensor | None:
        """(T,) added to the critic's loss, or None.

        ``score`` maps points (T, n, *shape) to logits (T, n) and can be differentiated; ``uniform`` (T, n) are random
        numbers in (0, 1], pure in (seed, step).
        """
        return None

    def project(self, parameters: Parameters, columns: Columns) -> None:
        """Change the parameters in place after each step of the critic."""

    def promised(self, columns: Columns) -> Tensor | None:
        """(T,) the Lipschitz constants that certificates keep to; None for a constraint that promises none."""
        return None

    def certificate(self, critic: Stack, parameters: Parameters, columns: Columns) -> Tensor | None:
        """(T,) upper bounds on the Lipschitz constants of networks with these final weights; None: not certified.

        ``parameters`` holds the networks' buffers too, such as batch statistics.
        """
        from trainables.lipschitz.bound import product_bound

        return product_bound(critic, parameters)
