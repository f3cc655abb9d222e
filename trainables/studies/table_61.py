"""Thesis table 6.1: refinements of one GAN on 25 Gaussians beside each other, at the cost that is printed for OBRS.

OBRS makes 6262 draws for 2,500 samples there, each scored once: K = 6262/2500, 2K calls for a sample. Whoever chooses
among draws gets this K, whoever moves them as many steps as 2K calls allow, gradients counted (``refinements/moving``):
DOT two, DGflow one. The thesis counts calls of G and D without gradients and prints 7500 of D for DOT and for DGflow,
three a sample. That costs more than OBRS does, and stands in rows of its own, with OBRS at the cost of the dearest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor

from trainables.refinements.budgeted import Budgeted
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection
from trainables.refinements.soft_truncation import SoftTruncation
from trainables.samplers.refining import Refining
from trainables.samplers.trained import Trained
from trainables.sources.law import Law
from trainables.studies.refined_sets import SET, Shared, Spread, refined_sets, settled
from trainables.training.networks import Networks

__all__ = ["DEARER", "DGFLOW", "DOT", "PRINTED_BUDGET", "ROWS", "Line", "Row", "stream_seconds", "table_61"]

PRINTED_BUDGET = 6262 / SET
TRUNCATION = 1.25
"""Soft truncation multiplies latents by 1/K = 0.8, hard truncation cuts them at ±1.28."""

DOT, DGFLOW = Dot(rate=0.05), DGFlow(divergence="kl", rate=0.003)
"""Of a few lengths of a step those of the highest precision at the cost of the table, on the model that comes along
(``benchmarks/table_61.py --rates``); they are what these refinements do anyway."""


@dataclass(frozen=True)
class Row:
    """A refinement at a budget, by its title in the table."""

    title: str
    method: Budgeted
    budget: float = PRINTED_BUDGET

    def sets(self, chosen: int, moved: int) -> int:
        """Of so many sets where draws are chosen from, and so many where they are moved."""
        return moved if isinstance(self.method, Moving) else chosen


ROWS: Sequence[Row] = (
    Row("baseline", Obrs(), 1.0),
    Row("OBRS", Obrs()),
    Row("DRS", Drs()),
    Row("MH-GAN", MetropolisHastings()),
    Row("rejection", Rejection()),
    Row("DOT", DOT),
    Row("DGflow", DGFLOW),
    Row("hard truncation", HardTruncation(), TRUNCATION),
    Row("soft truncation", SoftTruncation(), TRUNCATION),
)
"""At the cost of the table; truncation costs a draw at any K."""
DEARER: Sequence[Row] = (
    Row("DOT, 3 steps", DOT, 3.5),
    Row("DGflow, 3 steps", DGFLOW, 5.0),
    Row("OBRS, K = 5", Obrs(), 5.0),
)
"""As many steps as the thesis takes, and what OBRS has at the cost of three steps of DGflow."""


@dataclass(frozen=True)
class Line:
    """What was found of a row: shares in [0, 1] over sets; calls for a set; seconds for one, by a clock."""

    row: Row
    sets: int
    precision: Spread
    recall: Spread
    draws: Spread
    scores: Spread
    gradients: Spread
    acceptance: float
    seconds: float

    @property
    def calls(self) -> float:
        """Of anything, for a sample."""
        return (self.draws.mean + self.scores.mean + self.gradients.mean) / SET


def table_61(
    model: Trained,
    law: Law,
    rows: Sequence[Row] = ROWS,
    chosen: int = 100,
    moved: int = 20,
    timed: int = 4,
    shared: Shared | None = None,
) -> Iterator[Line]:
    """The rows, one by one, all from the same draws; of ``timed`` sets more the seconds.

    ``shared``: the model with the draws that it has made for others.
    """
    shared = Shared(model) if shared is None else shared
    for row in rows:
        count, constants = row.sets(chosen, moved), settled(shared, row.method, row.budget)
        found = refined_sets(shared, law, row.method, row.budget, constants, count)
        yield Line(
            row,
            count,
            Spread.of(found.precision),
            Spread.of(found.recall),
            Spread.of(found.draws),
            Spread.of(found.scores),
            Spread.of(found.gradients),
            found.acceptance,
            stream_seconds(model, row.method, row.budget, constants, timed * SET) / timed,
        )


def stream_seconds(model: Trained, method: Budgeted, budget: float, constants: Tensor, samples: int) -> float:
    """Of a stream of so many samples, by a clock; draws are scored only where the method asks for that."""
    scored = model if method.scored and budget > 1 else Trained(model.sampler, _unscored)
    stream = Refining(scored, method, budget, constants)
    for _ in stream.pieces(samples):
        pass
    return stream.ledger.seconds


def _unscored(networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
    return points.new_zeros(len(points))
