"""Figure 5.3 of the thesis: the PR-divergence's own f-GAN does not learn, PR-GAN does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES, LIGHT, NEUTRAL, template
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

if TYPE_CHECKING:
    from trainables.studies.naive_pr import Course, NaiveStudy

__all__ = ["FIGURES", "naive_beside_proposed"]

DRAWN = 400


def naive_beside_proposed() -> Sequence[Panel]:
    """Figure 5.3: samples at the end, and the generator's gradient on the way."""
    from trainables.studies.naive_pr import naive_study

    study = naive_study()
    courses = {"naive": study.naive, "PR-GAN": study.proposed}
    samples = {
        f"{name}, λ = {lam:g}": _samples(study, course, at)
        for name, course in courses.items()
        for at, lam in enumerate(study.lambdas)
    }
    return [
        Panel(
            side_by_side(samples, columns=len(study.lambdas), height=300),
            f"The same small GAN after {study.iterations[-1]} iterations on 8 Gaussians, which stand in for the "
            "thesis' BigGAN on CIFAR-10: above trained with the f-GAN of D_λ, below with a logistic critic. The naive "
            "models stay where their critic left them.",
            [
                Compared(
                    f"modes covered, {name}",
                    "does not converge" if name == "naive" else "converges",
                    " · ".join(
                        f"λ = {lam:g}: {round(8 * float(share))} of 8"
                        for lam, share in zip(study.lambdas, course.modes[-1], strict=True)
                    ),
                )
                for name, course in courses.items()
            ],
        ),
        Panel(
            _gradients(study),
            "Norm of the generator's gradient (Adam's mean of the latest ones). The best critic of D_λ is a step of "
            "which ever fewer samples lie on the edge: at λ = 1 and 10 the gradient falls by three orders of magnitude "
            "or more while the model is far from the data, at λ = 0.1 it is small from the start. With an auxiliary "
            "critic it does not fall.",
        ),
    ]


def _samples(study: NaiveStudy, course: Course, at: int) -> go.Figure:
    figure = go.Figure()
    points, means = course.points[at, :DRAWN].numpy(), study.means.numpy()
    figure.add_scatter(
        x=means[:, 0].round(3),
        y=means[:, 1].round(3),
        mode="markers",
        name="modes of the data",
        marker={"size": 13, "color": NEUTRAL, "symbol": "circle-open"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=points[:, 0].round(3),
        y=points[:, 1].round(3),
        mode="markers",
        name="samples",
        marker={"size": 3, "color": CATEGORIES[0], "opacity": 0.6},
        hoverinfo="skip",
    )
    figure.update_xaxes(range=[-3.6, 3.6])
    figure.update_yaxes(range=[-3.6, 3.6], scaleanchor="x")
    return figure


def _gradients(study: NaiveStudy) -> go.Figure:
    figure = go.Figure()
    for name, course, dash in (("naive", study.naive, "dot"), ("PR-GAN", study.proposed, "solid")):
        for at, lam in enumerate(study.lambdas):
            figure.add_scatter(
                x=list(study.iterations),
                y=np.round(course.gradient[:, at].numpy().astype(float), 8),
                mode="lines",
                name=f"{name}, λ = {lam:g}",
                line={"color": CATEGORIES[at], "dash": dash},
            )
    figure.update_xaxes(title_text="iteration")
    figure.update_yaxes(title_text="norm of the gradient", type="log", exponentformat="power")
    figure.update_layout(template=template(LIGHT), height=400, margin={"t": 24})
    return figure


FIGURES = (
    Reproduction(
        "thesis-5.3",
        THESIS,
        "Figure 5.3, page 81",
        "The naive approach beside the proposed one",
        naive_beside_proposed,
    ),
)
