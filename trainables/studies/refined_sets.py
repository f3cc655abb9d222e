"""Sets of refined samples of one model: how good each is, and what it cost (Vérine 2024, table 6.1).

Of a law with modes, a set's precision is the share of its points within 3σ of the nearest mode, its recall the share of
modes with at least one such point (Dumoulin et al. 2017).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import torch
from torch import Tensor

from trainables.evaluation.reading import Cost
from trainables.measures.modes import mode_shares
from trainables.refinements.budgeted import Budgeted
from trainables.safetensors import Array
from trainables.samplers.constants import tuned
from trainables.samplers.ledger import Ledger
from trainables.samplers.pool import Drawable, Pool
from trainables.samplers.refining import Refining
from trainables.sources.law import Law

__all__ = ["SET", "Sets", "Shared", "Spread", "refined_points", "refined_sets", "settled"]

SET = 2500
"""Samples of a set in the thesis: recall hangs on it."""
SETTLING = 1 << 16
"""Draws on which constants of budgets are found: a share of 0.4 among them is known to within 0.002."""
_SETTLING_SEED = 1 << 20
_FIRST_SEED = _SETTLING_SEED + 1
"""Of the sets, one after the other: none has the draws on which constants are found."""


class Shared:
    """A model whose draws are made once, block by block, and are the same for everyone who asks. O(draws) memory."""

    def __init__(self, model: Drawable) -> None:
        self._model = model
        self._held: dict[int, list[Pool]] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        return self._model.shape

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """Those of the model."""
        held = self._held.setdefault(seed, [])
        for at in count(first):
            while len(held) <= at:
                held.append(next(self._model.pools(seed, len(held))))
            yield held[at]

    def shown(self, points: Tensor) -> Array:
        """Those of the model."""
        return self._model.shown(points)


@dataclass(frozen=True)
class Spread:
    """Numbers of sets, by their mean and standard deviation, and the standard error of that mean."""

    mean: float
    deviation: float
    error: float

    @classmethod
    def of(cls, values: Tensor) -> Spread:
        """Of values (n,); one alone has no deviation, which is then 0."""
        values = values.double()
        deviation = float(values.std()) if len(values) > 1 else 0.0
        return cls(float(values.mean()), deviation, deviation / len(values) ** 0.5)


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of one refinement at one budget, one value of each set, (sets,).

    Attributes:
        precision: share within 3σ of a mode.
        recall: share of modes hit.
        draws: calls of the generator for the set.
        scores: calls of the critic.
        gradients: gradients taken.
        acceptance: share of all draws of all sets that were kept; 1 where draws are moved.
    """

    precision: Tensor
    recall: Tensor
    draws: Tensor
    scores: Tensor
    gradients: Tensor
    acceptance: float

    def cost(self, size: int = SET) -> Cost:
        """Calls for one sample."""
        return Cost(*(float(calls.mean()) / size for calls in (self.draws, self.scores, self.gradients)))


def settled(model: Drawable, method: Budgeted, budget: float) -> Tensor:
    """Constants of a budget, found on draws that no set has."""
    return tuned(model, method, budget, SETTLING, _SETTLING_SEED)


def refined_points(
    model: Drawable, method: Budgeted, budget: float, constants: Tensor, size: int = SET, at: int = 0
) -> tuple[Tensor, Ledger]:
    """Set number ``at``, (size, *shape), and what it cost."""
    stream = Refining(model, method, budget, constants, seed=_FIRST_SEED + at)
    points = torch.cat([piece.points for piece in stream.pieces(size)])
    return points, stream.ledger


def refined_sets(
    model: Drawable, law: Law, method: Budgeted, budget: float, constants: Tensor, sets: int, size: int = SET
) -> Sets:
    """So many sets at a budget, each of draws of its own. O(sets · size · calls)."""
    if sets < 1 or size < 1:
        raise ValueError(f"there must be at least one set of one sample, got {sets} of {size}")
    points, ledgers = zip(
        *(refined_points(model, method, budget, constants, size, at) for at in range(sets)), strict=True
    )
    modes = law.modes(torch.cat(points))
    if modes is None:
        raise ValueError("precision and recall are shares of modes, and the law has none; give a mixture")
    shares = mode_shares(modes, sets)
    calls = torch.tensor([[one.draws, one.scores, one.gradients] for one in ledgers], dtype=torch.float64)
    kept = sum(one.samples for one in ledgers) / sum(one.chosen_from for one in ledgers)
    return Sets(shares["quality"], shares["modes_hit"], calls[:, 0], calls[:, 1], calls[:, 2], kept)
