"""PR curves of one trial by every estimator, or of several trials beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Band, Card, CardRow, Chart, Layer, Line, Points
from explorer.figures.thinning import evenly
from explorer.results.estimates import PRCurve
from explorer.results.naming import number

__all__ = ["pr_curves_chart"]

MARKS = 24
"""Points of a curve that tell their λ when they are pointed at."""


def pr_curves_chart(
    curves: Mapping[str, PRCurve],
    title: str = "Precision against recall, at every λ",
    file: str = "pr-curves",
) -> Chart:
    """Curves of α_λ against β_λ under the names that the legend has; one that is alone has its error as a band.

    Every curve has points that tell their λ. O(points), of which at most 2,000 a curve are drawn.
    """
    layers: list[Layer] = []
    marks: list[tuple[str, PRCurve, NDArray[np.int64]]] = []
    alone = len(curves) == 1
    for i, (name, curve) in enumerate(curves.items()):
        colour = "accent" if alone else f"category:{i % 8}"
        rows = np.asarray(evenly(range(len(curve.lam))), dtype=np.int64)
        if alone and len(curve.error):
            layers.append(_error(curve))
        layers.append(
            Line(curve.recall[rows], curve.precision[rows], colour, 2.2, name="" if alone else name)
        )
        shown = np.asarray(evenly(range(len(curve.lam)), MARKS), dtype=np.int64)
        start = sum(len(places) for _, _, places in marks)
        marks.append((name, curve, shown))
        layers.append(
            Points(
                curve.recall[shown],
                curve.precision[shown],
                key=np.arange(start, start + len(shown)),
                colour=colour,
                radius=2.6,
            )
        )
    return Chart(
        x=Axis(
            "Recall β", 0.0, 1.02, direction="max", hint="β_λ = α_λ / λ, what of the data the model covers."
        ),
        y=Axis("Precision α", 0.0, 1.02, direction="max", hint="α_λ, what of the model lies on the data."),
        layers=layers,
        title=title,
        subtitle=_subtitle(curves),
        keys=[f"{i}:{row}" for i, (_, _, rows) in enumerate(marks) for row in rows.tolist()],
        card=_card(marks),
        alt=f"Precision against recall: {', '.join(curves) or 'no curve'}.",
        height=380,
        file=file,
    )


def _error(curve: PRCurve) -> Band:
    """Where the precisions of a curve may lie."""
    order = np.argsort(curve.recall, kind="stable")
    x, y, off = curve.recall[order], curve.precision[order], curve.error[order]
    return Band(x, np.clip(y - off, 0, 1), np.clip(y + off, 0, 1), opacity=0.16, name="possible error")


def _subtitle(curves: Mapping[str, PRCurve]) -> str:
    """Of a curve that is alone, how it was drawn, and how far it may be off for λ that are usual."""
    if len(curves) != 1:
        return ""
    (curve,) = curves.values()
    usual = (curve.lam >= 0.1) & (curve.lam <= 10)
    off = curve.error[usual] if len(curve.error) else np.empty(0)
    off = off[np.isfinite(off)]
    return curve.sentence + (f" ± {off.max():.2f}" if len(off) else "")


def _card(marks: list[tuple[str, PRCurve, NDArray[np.int64]]]) -> Card:
    headings = [
        f"{name} · λ {number(float(curve.lam[row]))}" for name, curve, rows in marks for row in rows.tolist()
    ]
    return Card(
        headings,
        rows=[
            CardRow("Precision", _joined([curve.precision[rows] for _, curve, rows in marks])),
            CardRow("Recall", _joined([curve.recall[rows] for _, curve, rows in marks])),
        ],
    )


def _joined(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate(parts) if parts else np.empty(0)
