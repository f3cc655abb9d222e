"""Intervals of means over samples of what lies in whose ball, when both sets are drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from trainables.metrics.metric import Scores

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.measures.knn.neighbours import BallCounts
    from trainables.metrics.pair import Pair

__all__ = ["ball_scores", "holding"]

FEWEST = 20
"""Balls that must hold samples of the other set. On fewer, far apart, the mean rests: one sample more changes it."""
GROWTH_OF_UNIONS, GROWTH = 1 / 2, 1 / 6
"""The excess of a design effect over 1 grows with N by this power at most, by the laws of the coverage benchmark.

Whether a sample lies in any of the other set's balls hangs, far out, on few large ones, the more samples there are
beside each; whether a ball holds enough samples does not.
"""


def ball_scores(
    pair: Pair,
    order: int,
    per_sample: Callable[[BallCounts], Mapping[str, Tensor]],
    balls: Mapping[str, Callable[[BallCounts], Tensor]],
    counts_of: frozenset[str] = frozenset(),
) -> Scores:
    """Means of ``per_sample`` values, with intervals if the pair asks for them.

    A share of n samples has Wilson's interval for n/(design effect) of them, any other mean m with variance s² the
    score interval of variance (design effect)·(s²/m)·θ/n. ``balls`` has, by key, what the balls hold on which a score
    rests that is no share of these balls themselves but of samples in their union; ``counts_of`` names the scores that
    are no shares at all.
    """
    counts = pair.balls(order)
    samples = per_sample(counts)
    values = {key: float(each.double().mean()) for key, each in samples.items()}
    if not pair.draws:
        return Scores(values)
    rounds = pair.group_balls(order)
    if not rounds:
        why = f"its interval needs more than {order} samples in a third of either set; use more samples"
        return Scores(values, withheld=dict.fromkeys(values, why))
    groups = [[per_sample(group) for group in groups] for groups in rounds]
    intervals, kinds, withheld = {}, {}, {}
    for key, each in samples.items():
        found = [[group[key].double() for group in row] for row in groups]
        held = balls[key](counts) if key in balls else None
        if held is not None and _few(held, found):
            withheld[key] = (
                f"it rests on about {holding(held):.2g} balls, and fewer than {FEWEST} do not show how it varies; "
                "use more samples"
            )
            continue
        is_share = key not in counts_of
        growth = GROWTH_OF_UNIONS if is_share and key in balls else GROWTH
        intervals[key], kinds[key] = _interval(pair, each.double(), found, is_share, growth)
    return Scores(values, intervals, kinds=kinds, withheld=withheld)


def holding(held: Tensor) -> float:
    """How many balls hold the others, those that hold more counting more: (Σc)²/Σc² of what each holds (n,)."""
    counts = held.double()
    total = float(counts.sum())
    return total * total / float(counts.square().sum()) if total else 0.0


def _few(held: Tensor, groups: list[list[Tensor]]) -> bool:
    """Whether there are too few balls for an interval. None at all, in no group either, is a plain zero."""
    touched = bool(held.any()) or any(bool(values.any()) for row in groups for values in row)
    return touched and holding(held) < FEWEST


def _interval(
    pair: Pair, each: Tensor, groups: list[list[Tensor]], is_share: bool, growth: float
) -> tuple[tuple[float, float], str]:
    import numpy as np

    from trainables.measures.groups import design_effect
    from trainables.measures.intervals import quantile, score_interval, wilson

    means = np.array([[float(values.mean()) for values in row] for row in groups])
    plain = np.array([[float(values.var()) / len(values) for values in row] for row in groups])
    n, n_group = len(each), min(len(values) for row in groups for values in row)
    effect = design_effect(means, plain, least=1 / (n_group**2 * means.size))
    ratio = effect.of_all(means.shape[1], growth)
    t, mean = quantile(pair.level, effect.freedom), float(each.mean())
    if is_share:
        return wilson(mean, n / ratio, t), "Wilson, design effect"
    # Where all samples agree it is as if one differed by a ball.
    variance = max(float(each.var(correction=0)), 1 / (pair.k**2 * n))
    per_unit = variance / mean if mean > 0 else 1 / pair.k
    low, high = score_interval(mean, t * t * ratio * per_unit / n)
    return (max(low, 0.0), high), "score, design effect"
