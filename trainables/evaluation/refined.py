"""One model read through a refinement at budgets K, from a stream: metrics, what they cost, samples to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig
from trainables.evaluation.shown import Shown, shown
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.moving import Moving
from trainables.samplers.constants import constants_of, pool_ratios
from trainables.samplers.ledger import Ledger
from trainables.samplers.pool import Drawable
from trainables.samplers.refining import Refining

__all__ = ["MOST_TUNED", "RefinedReading", "refined_readings", "tuned_on"]

LEAST_TUNED = 1 << 14
MOST_TUNED = 1 << 20
"""Draws whose ratios are held together: 8 MB."""
MOST_CALLS = 10**8
"""Draws of a reading, or calls of the networks: what a sweep may ask of a trial too."""
SHOWN = 1000
"""Refused draws of which some are shown."""
Hearer = Callable[[float, int, int], None]
"""Budget, samples so far, samples in all; budget 0 while constants are found."""


@dataclass(frozen=True, eq=False)
class RefinedReading:
    """A look at a model through a refinement at one budget.

    Attributes:
        budget: K; at K = 1 the model as it is.
        metrics: by key of the catalogue, with ``.low`` and ``.high`` where intervals were asked for.
        tuned_on: draws on which the budget's constants were found, 0 where there are none.
        ledger: what the samples cost; ``acceptance`` among it.
        kept, refused: some of the samples, and of the draws between them that were not kept.
        points: (n, *shape) all samples, on the CPU, in their order.
    """

    budget: float
    metrics: dict[str, float]
    tuned_on: int
    ledger: Ledger
    kept: Shown
    refused: Shown
    points: Tensor


def tuned_on(method: Budgeted, budgets: Sequence[float], samples: int) -> int:
    """How many draws the constants of budgets are found on; none where nothing is chosen by a ratio.

    They are those of which the samples are, as far as there is room: so the share that is kept is 1/K of these but for
    the chance of each single draw.
    """
    if not isinstance(method, Choosing):
        return 0
    due = max((method.due(samples, budget) for budget in budgets), default=0)
    return min(max(due, LEAST_TUNED), MOST_TUNED)


def refined_readings(
    model: Drawable,
    method: Budgeted,
    budgets: Sequence[float],
    real: RealSide,
    evaluation: EvaluationConfig,
    seed: int = 0,
    hear: Hearer = lambda budget, done, count: None,
) -> Iterator[RefinedReading]:
    """The model as it is, then refined at every K > 1 of ``budgets``, ascending, all from the draws of one seed.

    ``evaluation.samples`` at each, fewer where the model's draws come to an end. O(N·K) calls of the networks a budget
    for methods that choose, at most ``MOST_CALLS``; memory of N samples and of ``MOST_TUNED`` ratios.
    """
    count = evaluation.samples
    asked = sorted({budget for budget in budgets if budget > 1})
    for budget in asked:
        _check_calls(method, budget, count)
    ratios = None
    for budget in (1.0, *asked):
        if budget > 1 and ratios is None:
            hear(0.0, 0, count)
            ratios = pool_ratios(model, method, tuned_on(method, asked, count), seed)
        constants = None if budget == 1 else constants_of(model, method, budget, ratios, seed)
        stream = Refining(model, method, budget, constants, seed)
        points, classes, refused, shown_refused = [], [], [], 0
        done = 0
        for piece in stream.pieces(count):
            points.append(piece.points)
            if piece.classes is not None:
                classes.append(piece.classes)
            if shown_refused < SHOWN:
                refused.append(piece.refused[:SHOWN])
                shown_refused += len(refused[-1])
            done += len(piece.points)
            hear(budget, done, count)
        tuned = 0 if budget == 1 or ratios is None else len(ratios)
        yield _reading(budget, tuned, real, evaluation, stream.ledger, points, classes, refused)


def _check_calls(method: Budgeted, budget: float, samples: int) -> None:
    if isinstance(method, Moving):
        cost = method.cost(budget)
        calls = samples * (cost.draws + cost.scores + cost.gradients)
    else:
        assert isinstance(method, Choosing)
        calls = method.due(samples, budget)
    if calls > MOST_CALLS:
        raise ValueError(
            f"{samples:,} samples at budget K = {budget:g} take {calls:.3g} draws or calls, and a reading at most "
            f"{MOST_CALLS:.3g}; ask for fewer samples or a smaller budget"
        )


def _reading(
    budget: float,
    tuned: int,
    real: RealSide,
    evaluation: EvaluationConfig,
    ledger: Ledger,
    points: Sequence[Tensor],
    classes: Sequence[Tensor],
    refused: Sequence[Tensor],
) -> RefinedReading:
    samples = torch.cat(list(points)) if points else torch.empty(0)
    if not len(samples):
        raise ValueError(
            f"at budget K = {budget:g} the draws of the model came to an end before one was kept, so that nothing can "
            "be measured; ask for a smaller budget"
        )
    if not bool(torch.isfinite(samples).all()):
        raise ValueError(
            "samples of the model are not finite numbers; it has diverged, or its file is damaged"
        )
    (found,) = real.measure(evaluation, [samples], final=True)
    if isinstance(found, Exception):
        if isinstance(found, ValueError) and len(samples) < evaluation.samples:
            raise ValueError(
                f"at budget K = {budget:g} the draws of the model came to an end after {len(samples):,} samples, of "
                f"{evaluation.samples:,}: {found}"
            ) from found
        raise found
    labels = torch.cat(list(classes)) if classes else None
    low = torch.cat(list(refused)) if refused else samples[:0]
    return RefinedReading(
        budget,
        found,
        tuned,
        ledger,
        shown(samples, labels, real.span),
        shown(low, span=real.span),
        samples.cpu(),
    )
