"""Figure 2 of Simon et al. 2019: curves by clusters and by classifiers, as classes are dropped and added."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.reproduce.classes import fashion
from explorer.reproduce.grids import Grid, shades
from explorer.reproduce.papers import SIMON
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["FIGURES", "two_estimates"]

SHOWN = range(1, 10)


def two_estimates() -> Sequence[Panel]:
    """P = the first five classes, Q = the first q of 1…9: k-means histograms left, held-out classifiers right."""
    from trainables.studies.class_dropping import true_corner

    study = fashion()
    grid = Grid(["by clusters (Sajjadi et al.)", "by classifiers"], height=480)
    shown = [entry for entry in study.found if entry.classes in SHOWN]
    excess = [0.0, 0.0]
    for entry, colour in zip(shown, shades(len(shown)), strict=True):
        precision, recall = true_corner(entry.classes)
        for i, curve in enumerate((entry.prd, entry.classifier)):
            cell = grid.cell(i)
            corner = np.array([0.0, precision, precision]), np.array([recall, recall, 0.0])
            cell.line(*corner, f"expected, q = {entry.classes}", colour, dash="dot", width=1.3, legend=False)
            cell.line(curve.precision[::5], curve.recall[::5], f"q = {entry.classes}", colour)
            cell.unit_square(dtick=0.25)
            excess[i] += (float(curve.auc()) - precision * recall) / len(shown)
    caption = (
        "P is the first five classes of Fashion-MNIST, Q the first q: CIFAR-10 and Inception in the paper, "
        f"{study.samples} samples each and features of a small classifier (accuracy {study.accuracy:.2f}) here. "
        "Dotted: the rectangles that classes without overlap would give. Both estimates follow them and lie above "
        f"where clothes look alike, by {excess[0]:.3f} of area on average for the clusters and {excess[1]:.3f} for "
        "the classifiers. The right side is an upper bound but for noise (Theorem 5); thresholds are chosen and "
        "curves reported on different samples, where the paper uses the same."
    )
    return [Panel(grid.figure, caption)]


FIGURES = (
    Reproduction(
        "simon-2",
        SIMON,
        "Figure 2 (its page depends on the edition)",
        "Two estimates of the same curves",
        two_estimates,
    ),
)
