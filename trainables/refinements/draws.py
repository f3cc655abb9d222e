"""What a refinement is given: draws of trained models, what their ratio says of them, and how to draw elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Block", "Proposals"]


@dataclass(frozen=True, eq=False)
class Block:
    """Some draws of T models, with all that is needed to draw near them again.

    Attributes:
        latent: (T, m, *latent) standard normal numbers.
        made: (T, m, *shape) what the generators make of them, or what makes it once it is asked for.
        generate: latents as above → points; for the same classes and λ as these draws. Gradients flow through it.
        log_ratio: points as above → (T, m) log p/q up to a constant, likewise.
        normal: a step s = 0, 1, … → standard normal numbers shaped like ``latent``, the same at every call.
    """

    latent: Tensor
    made: Tensor | Callable[[], Tensor]
    generate: Callable[[Tensor], Tensor]
    log_ratio: Callable[[Tensor], Tensor]
    normal: Callable[[int], Tensor]

    @cached_property
    def points(self) -> Tensor:
        """(T, m, *shape) the draws; who does not ask for them, as those who move latents, costs no calls for them."""
        return self.made() if callable(self.made) else self.made


@dataclass(frozen=True, eq=False)
class Proposals:
    """Samples of one trained model to choose from; of T models each has one axis more, in front.

    Attributes:
        points: (M, *shape).
        log_ratio: (M,) calibrated log p/q.
        uniform: (M,) random numbers in (0, 1] that decide what is kept.
        real: (R,) log p/q at real points that training has not seen, where there are any.
        blocks: of so many first draws, the blocks, one after the other; None where no model is at hand. Always of T
            models, also where there is one.
    """

    points: Tensor
    log_ratio: Tensor
    uniform: Tensor
    real: Tensor | None = None
    blocks: Callable[[int], Iterator[Block]] | None = None

    def one_by_one(self) -> Iterator[Proposals]:
        """Those of each of T models, on the CPU, to be chosen from."""
        for index, (points, log_ratio, uniform) in enumerate(
            zip(self.points, self.log_ratio, self.uniform, strict=True)
        ):
            real = None if self.real is None else self.real[index].cpu()
            yield Proposals(points.cpu(), log_ratio.cpu(), uniform.cpu(), real)

    def stacked(self) -> Proposals:
        """One model as a stack of one."""
        real = None if self.real is None else self.real[None]
        return replace(
            self,
            points=self.points[None],
            log_ratio=self.log_ratio[None],
            uniform=self.uniform[None],
            real=real,
        )
