"""Figure 5.6 of the thesis: the PR-divergence read off critics that were trained for another divergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES, LIGHT, NEUTRAL, template
from explorer.reproduce.drawing import Array
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

if TYPE_CHECKING:
    from trainables.studies import PrimalStudy

__all__ = ["FEW", "FIGURES", "MANY", "primal_estimates"]

FEW, MANY = 512, 8192
"""Samples of each law that a critic is trained on."""


def primal_estimates() -> Sequence[Panel]:
    """Figure 5.6: E_P̂[f_λ(r̂)] against D_λ for random mixtures in the plane, critics trained for χ² and for KL."""
    from trainables.divergences import DIVERGENCES
    from trainables.studies import primal_study

    critics = {"g = χ²": DIVERGENCES["chi2"], "g = KL": DIVERGENCES["kl"]}
    found = {
        samples: {title: primal_study(div, samples=samples) for title, div in critics.items()}
        for samples in (FEW, MANY)
    }
    errors = {
        samples: {title: float(study.error.mean()) for title, study in studies.items()}
        for samples, studies in found.items()
    }
    scatters = {f"{samples:,} samples of each law": _scatter(studies) for samples, studies in found.items()}
    return [
        Panel(
            side_by_side(scatters, height=360),
            "Eight pairs of random mixtures of four Gaussians in the plane, each at λ = 0.5, 1 and 2; on the "
            "diagonal the estimate is right. Ellipses hold the points within Mahalanobis distance 1 of the mean of "
            "their set. On few samples the KL critic, whose ratio is an exponential of its output, errs more on the "
            "mean of these pairs, as the thesis reports; other pairs can turn that round. On many samples it errs "
            "less: the χ² critic falls short of the largest ratios. Mixtures, critics (two hidden layers of 16) and "
            "numbers of samples are ours; the thesis prints none.",
            [
                Compared(
                    f"mean error on {samples:,} samples, χ² and KL",
                    "χ² lower",
                    " and ".join(f"{value:.3f}" for value in by_title.values()),
                )
                for samples, by_title in errors.items()
            ],
        ),
        Panel(
            _bounds(found[FEW]),
            f"|D_λ - E_P̂[f_λ(r̂)]| of the critics trained on {FEW} samples against λ√(2ε/μ) of theorem 5.2.4, with "
            "ε the gap of the dual: no point may lie above the line, and none does. χ² has μ = 2 everywhere; KL has "
            "the inverse of the largest ratio, so that its bound says little although its gap is small.",
        ),
    ]


def ellipse(points: Array, count: int = 91) -> tuple[Array, Array]:
    """The points at Mahalanobis distance 1 from the mean of a set (n, 2)."""
    turn = np.linspace(0, 2 * np.pi, count)
    root = np.linalg.cholesky(np.cov(points.T))
    x, y = points.mean(0)[:, None] + root @ np.stack([np.cos(turn), np.sin(turn)])
    return x, y


def _scatter(studies: Mapping[str, PrimalStudy]) -> go.Figure:
    figure = go.Figure()
    ends = [0.0, 0.62]
    figure.add_scatter(x=ends, y=ends, mode="lines", name="right", line={"color": NEUTRAL, "dash": "dot"})
    for i, (title, study) in enumerate(studies.items()):
        points = np.stack([study.truth.numpy().ravel(), study.estimate.numpy().ravel()], axis=1)
        figure.add_scatter(
            x=points[:, 0].round(5),
            y=points[:, 1].round(5),
            mode="markers",
            name=title,
            marker={"size": 7, "color": CATEGORIES[i], "symbol": ["circle", "diamond"][i], "opacity": 0.85},
            hovertemplate="D_λ = %{x:.3f}<br>estimate %{y:.3f}<extra>%{fullData.name}</extra>",
        )
        x, y = ellipse(points)
        figure.add_scatter(
            x=x.round(5),
            y=y.round(5),
            mode="lines",
            name=f"{title}, Mahalanobis distance 1",
            showlegend=False,
            line={"color": CATEGORIES[i], "width": 1.6},
            hoverinfo="skip",
        )
    figure.update_xaxes(title_text="true D<sub>λ</sub>", range=[-0.05, 0.65])
    figure.update_yaxes(title_text="primal estimate", range=[-0.1, 0.65])
    return figure


def _bounds(studies: Mapping[str, PrimalStudy]) -> go.Figure:
    ends = [1e-3, 1e3]
    figure = go.Figure(
        go.Scatter(x=ends, y=ends, mode="lines", name="error = bound", line={"color": NEUTRAL, "dash": "dot"})
    )
    for i, (title, study) in enumerate(studies.items()):
        figure.add_scatter(
            x=study.bound.numpy().ravel().round(6),
            y=study.error.numpy().ravel().round(6),
            mode="markers",
            name=title,
            marker={"size": 7, "color": CATEGORIES[i], "symbol": ["circle", "diamond"][i], "opacity": 0.85},
            hovertemplate="bound %{x:.3f}<br>error %{y:.4f}<extra>%{fullData.name}</extra>",
        )
    tens = [0.001, 0.01, 0.1, 1, 10, 100, 1000]
    axis = {"type": "log", "tickvals": tens, "ticktext": [f"{ten:g}" for ten in tens]}
    figure.update_xaxes(title_text="bound λ√(2ε/μ)", range=[-1, 3], **axis)
    figure.update_yaxes(title_text="error of the estimate", range=[-3, 1], **axis)
    figure.update_layout(template=template(LIGHT), height=400, margin={"t": 24})
    return figure


FIGURES = (
    Reproduction(
        "thesis-5.6",
        THESIS,
        "Figure 5.6, page 86",
        "The PR-divergence read off another critic",
        primal_estimates,
    ),
)
