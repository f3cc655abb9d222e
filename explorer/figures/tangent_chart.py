"""PR curves of the models of every λ, each with its tangent where it meets the ray of its own λ.

On the ray α = λβ lies the point (β_λ, α_λ) of every curve, and training on D_λ moves it outwards along that ray: so the
curve that was trained at λ should be the outermost on it. The tangent there says what precision costs in recall at that
trade-off (``explorer/results/tangents.py``). All is read off α at ``TRADE_OFFS``, which every run tells: no artifact is
read. A Lipschitz ceiling α_λ ≤ c rules out what lies beyond (c/λ, c) on the ray, and with it all that has more of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import SYMBOLS, Axis, Card, CardRow, Chart, Layer, Line, Points
from explorer.figures.theme import SCALE
from explorer.results.audit import LambdaGroup
from explorer.results.ceiling import ceilings_of
from explorer.results.columns import Columns
from explorer.results.lambda_columns import alphas_of, lambdas_of
from explorer.results.lambda_curves import rows_of
from explorer.results.naming import number
from explorer.results.promise import levels_of, shares_at
from explorer.results.tangents import Touch, touch
from explorer.store.schema import TRADE_OFFS
from explorer.words import counted

__all__ = ["tangent_chart"]

HALF = 0.11
"""Half the length of a tangent that is drawn."""
LEAST = 1e-3
"""What is shorter on the ray than this is as good as best."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Levels:
    """The m levels of λ of a group.

    Attributes:
        lam: (m,) the levels.
        alphas: (m, 121) mean α_λ at ``TRADE_OFFS`` over their trials.
        counts: (m,) trials.
        touch: where each curve meets its own ray.
        is_best: (m,) whether no other one reaches further along that ray.
        ceiling: (m,) mean Lipschitz ceiling as a share of min(1, λ), NaN where there is none.
    """

    lam: Numbers
    alphas: Numbers
    counts: NDArray[np.int64]
    touch: Touch
    is_best: NDArray[np.bool_]
    ceiling: Numbers


def tangent_chart(columns: Columns, group: LambdaGroup) -> Chart | None:
    """A curve per level of λ of a group (mean α_λ over its trials), its ray, and its tangent where they meet.

    A point is filled where no other level reaches further along that ray, hollow where one does. Neighbourhoods of a
    continuous λ are levels. None where no trial's curve is known. O(n · 121) for n trials.
    """
    levels = _levels(columns, group)
    if levels is None:
        return None
    layers: list[Layer] = []
    last = len(SCALE) - 1
    colours = [SCALE[round(place * last / max(len(levels.lam) - 1, 1))] for place in range(len(levels.lam))]
    for lam, colour in zip(levels.lam, colours, strict=True):
        end = min(1.0, 1 / float(lam))  # where the ray leaves the unit square
        layers.append(Line(np.array([0.0, end]), np.array([0.0, end * lam]), colour, 1.0, "dot", 0.5))
    for lam, alphas, colour in zip(levels.lam, levels.alphas, colours, strict=True):
        recall = np.minimum(alphas / np.asarray(TRADE_OFFS), 1.0)
        layers.append(Line(recall, alphas, colour, 1.8, name=f"λ {number(float(lam))}"))
    beta, alpha = levels.touch.segments(HALF)
    for x, y in zip(beta, alpha, strict=True):
        layers.append(Line(x, y, "contrast", 2.6, name="tangent at its own λ"))
    layers += _marks(levels)
    hits = int(levels.is_best.sum())
    return Chart(
        Axis(
            "Recall β", 0.0, 1.02, direction="max", hint="β_λ = α_λ / λ, what of the data the model covers."
        ),
        Axis("Precision α", 0.0, 1.02, direction="max", hint="α_λ, what of the model lies on the data."),
        layers,
        title=f"On the ray of its own λ the model is outermost for {hits} of {len(levels.lam)} values",
        subtitle=_subtitle(group),
        note=_note(levels),
        keys=tuple(f"level {place}" for place in range(len(levels.lam))),
        card=_card(levels),
        alt=(
            f"Precision-recall curves of {counted(len(levels.lam), 'level')} of λ with their tangents at their own λ; "
            f"at {hits} of them no other curve reaches further along the ray."
        ),
        height=560,
        square=True,
        file=f"{columns.table.sweep}-tangents",
    )


def _levels(columns: Columns, group: LambdaGroup) -> _Levels | None:
    rows = rows_of(columns, group)
    lam, alphas = lambdas_of(columns)[rows], alphas_of(columns)[rows]
    known = ~np.isnan(alphas[:, 0]) & (lam >= TRADE_OFFS[0]) & (lam <= TRADE_OFFS[-1])
    if not known.any():
        return None
    levels, which = levels_of(lam[known])
    means = np.stack([alphas[known][which == level].mean(axis=0) for level in range(len(levels))])
    shares = shares_at(means, levels)
    is_best = shares.diagonal() >= shares.max(axis=0) - LEAST
    return _Levels(
        np.array(levels),
        means,
        np.bincount(which, minlength=len(levels)),
        touch(means, levels),
        is_best,
        _ceilings(columns, rows[known], which, len(levels)),
    )


def _ceilings(columns: Columns, rows: NDArray[np.int64], which: NDArray[np.int64], levels: int) -> Numbers:
    """(m,) the mean ceiling of each level's trials as a share of min(1, λ); NaN where none rules anything out."""
    mask = np.zeros(len(columns), dtype=bool)
    mask[rows] = True
    found = ceilings_of(columns, mask)
    share = np.full(len(columns), np.nan)
    share[found.rows] = np.where(found.binding, found.ceiling, np.nan)
    own = share[rows]
    told = [own[(which == level) & ~np.isnan(own)] for level in range(levels)]
    return np.array([part.mean() if len(part) else np.nan for part in told])


def _marks(levels: _Levels) -> list[Layer]:
    places = np.arange(len(levels.lam))
    found: list[Layer] = [
        Points(
            levels.touch.recall,
            levels.touch.precision,
            places,
            "text",
            5.0,
            hollow=~levels.is_best,
        )
    ]
    if not np.isnan(levels.ceiling).all():
        alpha = levels.ceiling * np.minimum(1.0, levels.lam)
        symbol = np.full(len(places), SYMBOLS.index("cross"))
        found.append(
            Points(alpha / levels.lam, alpha, places, "contrast", 5.5, symbol, name="Lipschitz ceiling")
        )
    return found


def _subtitle(group: LambdaGroup) -> str:
    told = ["models as they are (K = 1), mean over seeds", "dotted: rays α = λβ"]
    return " · ".join([group.name, *told] if group.name else told)


def _note(levels: _Levels) -> str:
    told = "Filled: no other level reaches further along that ray."
    return told if levels.is_best.all() else f"{told} Hollow: another one does."


def _card(levels: _Levels) -> Card:
    best = shares_at(levels.alphas, levels.lam).argmax(axis=0)
    better = [
        "" if own else f"λ {number(float(levels.lam[other]))}"
        for own, other in zip(levels.is_best, best, strict=True)
    ]
    rows = [
        CardRow("α at its λ", levels.touch.precision),
        CardRow("β at its λ", levels.touch.recall),
        CardRow("Slope dα/dβ", np.where(np.isfinite(levels.touch.slope), levels.touch.slope, np.nan)),
        CardRow("Trials", levels.counts.astype(np.float64)),
        CardRow("Further out", better),
    ]
    return Card([f"Trained at λ {number(float(lam))}" for lam in levels.lam], (), rows)
