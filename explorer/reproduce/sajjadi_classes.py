"""Figures 5 (left) and 11 of Sajjadi et al. 2018: Inception Score and Fréchet distance as classes go and come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.reproduce.classes import ClassStudy, digits, fashion
from explorer.reproduce.grids import MODEL, REAL, TRUTH, Cell, Grid, shades
from explorer.reproduce.papers import SAJJADI
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["FIGURES", "other_datasets", "scores_of_classes"]


def scores_of_classes() -> Sequence[Panel]:
    """Figure 5, left: IS and FID of the first i classes against the first five."""
    study = fashion()
    grid = Grid(["Inception Score", "Fréchet distance"], height=360, legend=False)
    _scores(grid.cell(0), grid.cell(1), study)
    caption = (
        "The first i classes of Fashion-MNIST against the first five. The Inception Score knows nothing of P and "
        f"rises with the classes, from {study.found[0].inception:.1f} to {study.found[-1].inception:.1f}. The "
        "Fréchet distance is least at i = 5 and rises on both sides, so that its value does not tell dropped classes "
        f"from invented ones: {_confused(study)}. In the paper (CIFAR-10 and Inception) i = 4 and i = 6 have "
        f"similar ones. {_made(study)}"
    )
    return [Panel(grid.figure, caption)]


def other_datasets() -> Sequence[Panel]:
    """Figure 11: the plots of Figure 5 for MNIST and Fashion-MNIST."""
    panels = []
    for study, title in (
        (
            digits(),
            "Top: the digits of scikit-learn, 8×8 pixels, stand in for MNIST, which cannot be had here.",
        ),
        (fashion(), "Bottom: Fashion-MNIST, as in the paper."),
    ):
        grid = Grid(["Inception Score", "Fréchet distance", "PRD"], height=400, gap=0.06)
        _scores(grid.cell(0), grid.cell(1), study)
        cell = grid.cell(2)
        for entry, colour in zip(study.found, shades(len(study.found)), strict=True):
            cell.line(
                entry.prd.precision[::5], entry.prd.recall[::5], f"i = {entry.classes}", colour, width=1.8
            )
        cell.unit_square()
        caption = (
            f"{title} Classes that are missing (i < 5) cost recall, classes that are invented (i > 5) precision. "
            f"The Fréchet distance does not say which: {_confused(study)}. {_made(study)}"
        )
        panels.append(Panel(grid.figure, caption))
    return panels


def _scores(score: Cell, distance: Cell, study: ClassStudy) -> None:
    i = np.array([entry.classes for entry in study.found], dtype=np.float64)
    for cell, name, values, colour in (
        (score, "Inception Score", [entry.inception for entry in study.found], REAL),
        (distance, "Fréchet distance", [entry.frechet for entry in study.found], MODEL),
    ):
        heights = np.array(values)
        cell.line(i, heights, name, colour, legend=False)
        cell.dots(i, heights, f"{name} of the first i classes", colour, legend=False)
        top = 1.06 * float(heights.max())
        cell.line(
            np.array([5.0, 5.0]),
            np.array([0.0, top]),
            "classes of P",
            TRUTH,
            dash="dot",
            width=1.2,
            legend=False,
        )
        cell.axes(
            {"title": {"text": "classes i of the model"}, "dtick": 1, "range": [0.6, 10.4]},
            {"range": [0, top]},
        )


def _confused(study: ClassStudy) -> str:
    """The number of dropped and the number of invented classes whose distances are closest."""
    distance = {entry.classes: entry.frechet for entry in study.found}
    few, many = min(
        ((i, j) for i in range(1, 5) for j in range(6, 11)),
        key=lambda pair: abs(distance[pair[0]] - distance[pair[1]]),
    )
    return f"it is {distance[few]:.0f} at i = {few} and {distance[many]:.0f} at i = {many}"


def _made(study: ClassStudy) -> str:
    return (
        f"{study.samples} samples each; features and classes of a network trained on other images of the set, "
        f"accuracy {study.accuracy:.2f}."
    )


FIGURES = (
    Reproduction(
        "sajjadi-5-left",
        SAJJADI,
        "Figure 5, left (its page depends on the edition)",
        "One number cannot tell dropped from added",
        scores_of_classes,
    ),
    Reproduction(
        "sajjadi-11",
        SAJJADI,
        "Figure 11, page 14",
        "Classes dropped and added, on two more datasets",
        other_datasets,
    ),
)
