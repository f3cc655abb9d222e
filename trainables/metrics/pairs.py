"""One real side and many sets of generated samples, measured together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainables.metrics.pair import Compute, Pair

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.measures.knn.neighbours import BallCounts

__all__ = ["Pairs"]


@dataclass(eq=False)
class Pairs:
    """Features of real samples (N, d) and of B sets of generated ones (B, M, d), where the models are.

    Attributes:
        one: all else that a ``Pair`` has, but its generated side, which stands here for all sets.
        points: the generated samples themselves (B, M, *shape).
        logits: of the extractor on them (B, M, classes), where it has them.
    """

    one: Pair
    fake: Tensor
    points: Tensor
    logits: Tensor | None = None
    _counts: dict[int, BallCounts] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.fake)

    @property
    def real(self) -> Tensor:
        """Features of the real samples (N, d)."""
        return self.one.real

    def one_by_one(self) -> Iterator[Pair]:
        """Every pair by itself, on the CPU."""
        real, fake, points = self.real.cpu(), self.fake.cpu(), self.points.cpu()
        logits = None if self.logits is None else self.logits.cpu()
        real_logits = None if self.one.real_logits is None else self.one.real_logits.cpu()
        law = None if self.one.law is None else self.one.law.to("cpu")
        for index in range(len(fake)):
            yield replace(
                self.one,
                real=real,
                fake=fake[index],
                points=points[index],
                logits=None if logits is None else logits[index],
                real_logits=real_logits,
                law=law,
                remember=self._on_cpu,
                _counts={},
                _group_counts={},
                _held_out={},
                _group_held_out={},
            )

    def _on_cpu(self, part: str, compute: Compute) -> Mapping[str, Tensor]:
        known = self.one.remember(f"{part} on the CPU", compute)
        return {name: tensor.cpu() for name, tensor in known.items()}

    def balls(self, order: int) -> BallCounts:
        """Who lies in whose ball of the ``order``-th neighbour: counts (B, M) and (B, N)."""
        if order not in self._counts:
            from trainables.measures.knn.packed import PACKED_DIMENSION, packed_ball_counts, squared_radii

            orders = self.one.orders if order in self.one.orders else (order,)
            if self.fake.is_cuda and self.fake.shape[2] <= PACKED_DIMENSION:
                known = self.one.remember(
                    f"squared radii {orders}", lambda: {"radii": squared_radii(self.real[None], orders)[0]}
                )
                counts = packed_ball_counts(self.real, self.fake, known["radii"], orders)
            else:
                counts = self._balls_one_by_one(orders)
            self._counts |= dict(zip(orders, counts, strict=True))
        return self._counts[order]

    def _balls_one_by_one(self, orders: Sequence[int]) -> list[BallCounts]:
        """By trees or by products, whichever the dimension asks for, where the samples are."""
        from trainables.measures.knn.neighbours import BallCounts

        found = []
        for fake in self.fake:
            pair = replace(self.one, fake=fake, _counts={}, _group_counts={})
            found.append([pair.balls(order) for order in orders])
        return [BallCounts.stacked([row[at] for row in found]) for at in range(len(orders))]
