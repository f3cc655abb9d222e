"""Figure 5 of Sajjadi et al. 2018: classes dropped and added, on Fashion-MNIST."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.reproduce.classes import fashion
from explorer.reproduce.drawing import Array, pr_curves
from explorer.reproduce.papers import SAJJADI
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from trainables.precision_recall import PRCurve
    from trainables.studies.class_dropping import Dropping

__all__ = ["FIGURES", "class_dropping"]

SHOWN = (1, 3, 5, 7, 10)


def class_dropping() -> Sequence[Panel]:
    """P = the first five classes, Q_i = the first i: PRD curves, classifier curves, and their summaries."""
    study = fashion()
    found = study.found
    by_classes = {entry.classes: entry for entry in found}
    shown = [by_classes[i] for i in SHOWN]
    note = (
        f"Real data are the first five classes of Fashion-MNIST, the models the first i; {study.samples} samples each, "
        f"features of a classifier with accuracy {study.accuracy:.2f} (the paper: CIFAR-10 and Inception). Dashed: the "
        "rectangle that classes without overlap would give; clothes that look alike lift the curves above it."
    )
    return [
        Panel(_drawn(shown, [entry.prd for entry in shown]), f"PRD by k-means, 20 clusters, 10 runs. {note}"),
        Panel(_drawn(shown, [entry.classifier for entry in shown]), f"Held-out linear classifiers. {note}"),
        Panel(_summaries(found), _sentence(found)),
    ]


def _drawn(shown: Sequence[Dropping], curves: Sequence[PRCurve]) -> go.Figure:
    from trainables.studies.class_dropping import true_corner

    lines: dict[str, tuple[Array, Array]] = {
        f"i = {entry.classes}": (curve.precision, curve.recall)
        for entry, curve in zip(shown, curves, strict=True)
    }
    truths = {}
    for entry in shown:
        precision, recall = true_corner(entry.classes)
        truths[f"true, i = {entry.classes}"] = (
            np.array([0.0, precision, precision]),
            np.array([recall, recall, 0.0]),
        )
    return pr_curves(lines | truths, dashed=list(truths))


def _summaries(found: Sequence[Dropping]) -> go.Figure:
    from trainables.precision_recall import f_score
    from trainables.studies.class_dropping import true_corner

    lines: dict[str, tuple[Array, Array]] = {}
    for name, curves in (
        ("PRD", [entry.prd for entry in found]),
        ("classifier", [entry.classifier for entry in found]),
    ):
        scores = [np.array([float(curve.f_max(s)) for curve in curves]) for s in (1 / 8, 8.0)]
        lines[f"{name}: (F_1/8, F_8) for i = 1…10"] = (scores[0], scores[1])
    corners = [true_corner(entry.classes) for entry in found]
    truth = [np.array([float(f_score(a, b, s)) for a, b in corners]) for s in (1 / 8, 8.0)]
    lines["true"] = (truth[0], truth[1])
    return pr_curves(lines, dashed=["true"])


def _sentence(found: Sequence[Dropping]) -> str:
    numbers = "; ".join(
        f"i = {entry.classes}: {float(entry.prd.f_max(1 / 8)):.2f}, {float(entry.prd.f_max(8.0)):.2f}"
        for entry in found
    )
    return (
        "Precision summary F_1/8 across, recall summary F_8 up, as i goes from 1 to 10: recall rises until i = 5, then "
        f"precision falls. PRD: {numbers}."
    )


FIGURES = (
    Reproduction(
        "sajjadi-5",
        SAJJADI,
        "Figure 5, middle (its page depends on the edition)",
        "Classes dropped and added",
        class_dropping,
    ),
)
