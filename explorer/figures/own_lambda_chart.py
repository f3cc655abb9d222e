"""Are models best at the λ they were trained at? A square per level trained at and level asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Area, Axis, Card, CardRow, Chart, Layer, Line, Panel, Points, Text
from explorer.results.audit import LambdaAudit, LambdaGroup
from explorer.results.naming import number
from explorer.results.promise import OwnLambda

__all__ = ["PANELS", "own_lambda_chart"]

PANELS = 6
"""Settings that one chart shows."""
TONES = 7
"""Tones of squares; the darkest are the best of their columns."""
DARKEST, PALEST = 0.62, 0.04

Numbers = NDArray[np.float64]


def own_lambda_chart(audit: LambdaAudit, file: str = "own-lambda") -> Chart | None:
    """Squares toned by how little α_λ is behind the best of its column, which is framed; theory has it on the diagonal.

    A column is a λ that is asked for, a row the λ that models were trained at, a number α_λ / min(1, λ), the mean over
    seeds. None where no group's curves are known.
    """
    known = [(group, group.own) for group in audit.defined if group.own is not None]
    if not known:
        return None
    shown = known[:PANELS]
    depth = max(float(_behind(own).max()) for _, own in shown)
    keys, cards = _cards(shown)
    starts = np.cumsum([0, *(len(own.levels) ** 2 for _, own in shown)])
    panels = [
        Panel(
            group.name if len(shown) > 1 else "",
            _squares(own, depth, int(start)),
            _axis("Asked for λ", own),
            _axis("Trained at λ", own),
        )
        for (group, own), start in zip(shown, starts, strict=False)
    ]
    hits, levels = sum(own.hits for _, own in known), sum(len(own.levels) for _, own in known)
    hidden = len(known) - len(shown)
    first = shown[0][1]
    return Chart(
        _axis("Asked for λ", first),
        _axis("Trained at λ", first),
        (),
        title=f"Models are best at the λ they were trained at for {hits} of {levels} values",
        subtitle="α_λ / min(1, λ), mean over seeds · dark: near the best of its column · framed: the best",
        note=f"{len(shown)} of {len(known)} settings are drawn; filters choose others." if hidden else "",
        panels=panels,
        keys=keys,
        card=cards,
        alt=_alt(shown),
        height=430 if len(shown) <= 3 else 760,
        file=file,
    )


def _behind(own: OwnLambda) -> Numbers:
    """(m, m) by how much each level is behind the best of its column."""
    shares = np.array(own.shares)
    found: Numbers = shares.max(axis=0) - shares
    return found


def _axis(title: str, own: OwnLambda) -> Axis:
    places = tuple(float(place) for place in range(len(own.levels)))
    words = tuple(number(level) for level in own.levels)
    return Axis(title, -0.6, len(places) - 0.4, ticks=places, labels=words)


def _squares(own: OwnLambda, depth: float, start: int) -> tuple[Layer, ...]:
    """Squares by their tone, frames about the diagonal and about the best, numbers on top."""
    behind = _behind(own)
    m = len(own.levels)
    near = 1 - behind / max(depth, 1e-12)
    tone = np.minimum((near * TONES).astype(np.int64), TONES - 1)
    row, column = (part.ravel() for part in np.indices((m, m)))
    layers: list[Layer] = []
    for t in range(TONES):
        own_tone = tone.ravel() == t
        if own_tone.any():
            x, y = _outlines(column[own_tone], row[own_tone])
            layers.append(Area(x, y, "accent", PALEST + (DARKEST - PALEST) * t / (TONES - 1)))
    layers.append(Line(*_outlines(np.arange(m), np.arange(m)), "muted", 1.2, "dot"))
    best = (behind == 0).ravel()
    layers.append(Line(*_outlines(column[best], row[best]), "contrast", 2.4))
    words = [f"{share:.2f}" for line in own.shares for share in line]
    places = column.astype(np.float64), row.astype(np.float64)
    # Places to point at, unseen: what is seen are the numbers.
    layers.append(Points(*places, start + np.arange(m * m), "text", 9.0, opacity=0.0))
    layers.append(Text(*places, words, "text"))
    return tuple(layers)


def _outlines(column: NDArray[np.int64], row: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """The outlines of squares, NaN between them."""
    x = np.array([-0.47, 0.47, 0.47, -0.47, -0.47, np.nan])
    y = np.array([-0.47, -0.47, 0.47, 0.47, -0.47, np.nan])
    return (column[:, None] + x).ravel(), (row[:, None] + y).ravel()


def _cards(shown: Sequence[tuple[LambdaGroup, OwnLambda]]) -> tuple[list[str], Card]:
    keys: list[str] = []
    headings: list[str] = []
    shares: list[float] = []
    behind: list[float] = []
    for place, (group, own) in enumerate(shown):
        lost = _behind(own)
        for i, trained in enumerate(own.levels):
            for j, asked in enumerate(own.levels):
                keys.append(f"{place} {i} {j}")
                told = f"trained at λ {number(trained)}, read at λ {number(asked)}"
                headings.append(f"{group.name}: {told}" if group.name and len(shown) > 1 else told)
                shares.append(own.shares[i][j])
                behind.append(float(lost[i, j]))
    rows = (CardRow("α_λ / min(1, λ)", np.array(shares)), CardRow("behind the best", np.array(behind)))
    return keys, Card(headings, (), rows)


def _alt(shown: Sequence[tuple[LambdaGroup, OwnLambda]]) -> str:
    told = [
        f"{group.name or 'all trials'}: best at {own.hits} of {len(own.levels)} values of λ"
        for group, own in shown
    ]
    return "Whether models are best at the λ they were trained at. " + "; ".join(told) + "."
