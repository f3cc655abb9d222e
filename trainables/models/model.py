"""What a model is to a sweep: two plain ``nn.Module``s, and what they can do."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Model"]


class Model(Member, ABC):
    """A member of the family of models.

    Attributes:
        has_density: the generator has a method ``log_prob(x)``: log q of data (n, *shape) → (n,).
        stacks: trials may be trained side by side as one stacked module. Switch it off for big models, which fill a
            card alone, and for modules whose forward pass branches in Python on the values of tensors.
        conditional: on labelled data the modules take classes too: ``generator(z, y)``, ``critic(x, y)``, y (n,).
        takes_lam: the modules take log λ (n,) as last argument: ``generator(z, log_lam)``, ``critic(x, log_lam)``, so
            that one model can be trained for a range of λ. A model may have it as a field.
    """

    has_density: ClassVar[bool] = False
    stacks: ClassVar[bool] = True
    conditional: ClassVar[bool] = False
    takes_lam: bool = False

    def without_lam(self) -> Model:
        """The same model without λ as an input, if that is a field of it; else the model itself.

        A generator that takes λ begins with the parameters of the one that does not, in their order, each at least as
        large; with what it has beyond at 0 or as it begins, it is that generator at every λ. So a training with λ as an
        input may begin at a base that knew nothing of it.
        """
        if not self.takes_lam or "takes_lam" not in {field.name for field in self.declared()}:
            return self
        return dataclasses.replace(self, takes_lam=False)  # type: ignore[type-var]

    @abstractmethod
    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """A module from latent z (n, *latent_shape) to samples (n, *shape), freshly initialised."""

    @abstractmethod
    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """A module from samples (n, *shape) to raw logits (n,) or (n, 1), freshly initialised."""

    def latent_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of one latent: ``(latent,)`` for a model with such a field, else that of the data."""
        latent = getattr(self, "latent", None)
        return (int(latent),) if latent is not None else shape

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Raise ``ValueError`` with a sentence if the model cannot be trained on such samples."""

    def lipschitz_bounds(self, shape: tuple[int, ...]) -> tuple[float, float] | None:
        """Upper bounds of Lip(G) and Lip(G⁻¹) that hold whatever the weights, for models built to have them."""
        return None

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float] | None:
        """Multiplications of a forward pass of generator and critic for one sample.

        Plans estimate their time by them, as if all were matrix products; None, as here, leaves the estimate out.
        """
        return None

    def generator_penalty(self, parameters: Mapping[str, Tensor]) -> Tensor | None:
        """(T,) what is added to the generators' losses, of their parameters (T, *shape) by name, as they are trained.

        None, as here, for models that ask for nothing.
        """
        return None
