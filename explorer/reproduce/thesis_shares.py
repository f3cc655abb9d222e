"""Figures 3.8 and 3.9 of the thesis: α_λ and β_λ against λ, and as shares of an area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.panes import MODEL, PRECISION, REAL, RECALL, area, curve, side_by_side
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.thesis_parts import LAWS, X, density_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from trainables.sources.mixture import GaussianMixture

__all__ = ["FIGURES", "precision_as_area", "recall_as_area"]

NOTE = "The thesis prints neither its laws nor these values."


def precision_as_area() -> Sequence[Panel]:
    """Figure 3.8: α_1 and α_10 of the diverse model as shares of the area below p̂."""
    from trainables.studies.gaussian_fit import TARGET
    from trainables.studies.line_models import DIVERSE, line_curve

    values = line_curve(DIVERSE, [1.0, 10.0]).precision
    figure = side_by_side(
        (
            "(a) α<sub>λ</sub> and β<sub>λ</sub>",
            f"(b) α<sub>1</sub> = {values[0]:.3f}",
            f"(c) α<sub>10</sub> = {values[1]:.3f}",
        ),
        400,
        (0.36, 0.32, 0.32),
    )
    _against_lambda(figure, DIVERSE)
    p, q = density_of(TARGET), density_of(DIVERSE)
    for col, lam in ((2, 1.0), (3, 10.0)):
        common = area(X, np.minimum(lam * p, q), "min(λp, p̂)", PRECISION, 0.4, width=0)
        _add_panel(figure, col, common, curve(X, lam * p, "λp", REAL), curve(X, q, "p̂", MODEL, "dot"))
    _density_axes(figure, 1.5 * float(q.max()))
    caption = (
        f"P̂ = {LAWS['diverse']}, the diverse model of figure 3.6, and P = {LAWS['P']}. α_λ is the share of the red "
        "area in the area below the dotted p̂: precision is lost where p̂ exceeds λp, so λ = 10 forgives a p̂ up to ten "
        f"times too large. In (a) the grey lines are what P̂ = P would have. {NOTE}"
    )
    return [Panel(figure, caption)]


def recall_as_area() -> Sequence[Panel]:
    """Figure 3.9: β_{1/10} and β_1 of the precise model as shares of the area below p."""
    from trainables.studies.gaussian_fit import TARGET
    from trainables.studies.line_models import PRECISE, line_curve

    values = line_curve(PRECISE, [0.1, 1.0]).recall
    figure = side_by_side(
        (
            "(a) α<sub>λ</sub> and β<sub>λ</sub>",
            f"(b) β<sub>1/10</sub> = {values[0]:.3f}",
            f"(c) β<sub>1</sub> = {values[1]:.3f}",
        ),
        400,
        (0.36, 0.32, 0.32),
    )
    _against_lambda(figure, PRECISE)
    p, q = density_of(TARGET), density_of(PRECISE)
    for col, lam in ((2, 0.1), (3, 1.0)):
        common = area(X, np.minimum(p, q / lam), "min(p, p̂/λ)", RECALL, 0.5, width=0)
        _add_panel(figure, col, common, curve(X, q / lam, "p̂/λ", MODEL), curve(X, p, "p", REAL, "dot"))
    _density_axes(figure, 1.5 * float(p.max()))
    caption = (
        f"P̂ = {LAWS['precise']}, the precise model of figure 3.7, and P = {LAWS['P']}. β_λ is the share of the blue "
        "area in the area below the dotted p: recall is lost where p exceeds p̂/λ, and λ = 1/10 forgives a p̂ down "
        "to a tenth of p; the mode that is missed is missed all the same. In (a) the grey lines are what P̂ = P "
        f"would have. {NOTE}"
    )
    return [Panel(figure, caption)]


def _add_panel(figure: go.Figure, column: int, *traces: go.Scatter) -> None:
    """Traces in one column; the legend has those of the first that shows densities."""
    for trace in traces:
        trace.showlegend = column == 2
        figure.add_trace(trace, row=1, col=column)


def _against_lambda(figure: go.Figure, model: GaussianMixture) -> None:
    from trainables.studies.line_models import line_curve

    lam = np.logspace(-2, 2, 161)
    found = line_curve(model, lam)
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    for y in (np.minimum(1, lam), np.minimum(1, 1 / lam)):
        figure.add_trace(curve(lam, y, "P̂ = P", REAL, "dot", **quiet), row=1, col=1)
    figure.add_trace(curve(lam, found.precision, "α<sub>λ</sub>", PRECISION), row=1, col=1)
    figure.add_trace(curve(lam, found.recall, "β<sub>λ</sub>", RECALL), row=1, col=1)
    figure.update_xaxes(type="log", title_text="λ", dtick=1, row=1, col=1)
    figure.update_yaxes(range=[-0.02, 1.05], dtick=0.25, row=1, col=1)


def _density_axes(figure: go.Figure, top: float) -> None:
    for col in (2, 3):
        figure.update_xaxes(title_text="x", range=[-11, 11], row=1, col=col)
        figure.update_yaxes(range=[0, top], row=1, col=col)
    figure.update_yaxes(title_text="density", row=1, col=2)


FIGURES = (
    Reproduction(
        "thesis-3.8", THESIS, "Figure 3.8, page 40", "Precision as a share of an area", precision_as_area
    ),
    Reproduction("thesis-3.9", THESIS, "Figure 3.9, page 40", "Recall as a share of an area", recall_as_area),
)
