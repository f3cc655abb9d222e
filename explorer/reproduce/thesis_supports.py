"""Figures 3.2 and 3.3 of the thesis: precision and recall of supports, and their estimate from samples."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from explorer.reproduce.drawing import Array
from explorer.reproduce.panes import (
    COMMON,
    MODEL,
    PRECISION,
    REAL,
    balls,
    dots,
    equal_axes,
    faded,
    side_by_side,
)
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["FIGURES", "estimated_supports", "supports"]

SAMPLES, NEIGHBOURS = 60, 3
MANY = 10_000
LAWS_NOTE = (
    "The thesis does not print its laws; ours are uniform on two regions, so that masses are shares of areas."
)


def supports() -> Sequence[Panel]:
    """Figure 3.2: ᾱ = P̂(supp P) and β̄ = P(supp P̂) of two uniform laws."""
    from trainables.studies.supports import MODEL_BLOB, REAL_BLOB, overlap_outline, support_scores

    figure = side_by_side(("the two supports", "ᾱ = P̂(supp P)", "β̄ = P(supp P̂)"), 390)
    real, model = REAL_BLOB.boundary().numpy(), MODEL_BLOB.boundary().numpy()
    common = overlap_outline(REAL_BLOB, MODEL_BLOB).numpy()
    precision, recall = support_scores(REAL_BLOB, MODEL_BLOB)
    for col, fills in ((1, (0.3, 0.3)), (2, (0.0, 0.3)), (3, (0.3, 0.0))):
        figure.add_trace(_region(real, "support of P", REAL, fills[0], col == 1), row=1, col=col)
        figure.add_trace(_region(model, "support of P̂", MODEL, fills[1], col == 1), row=1, col=col)
        if col > 1:
            figure.add_trace(_region(common, "common part", COMMON, 0.55, col == 2, width=0), row=1, col=col)
    _plane(figure, 3)
    caption = (
        f"Precision ᾱ = {precision:.3f} is the share of the green part in P̂, recall β̄ = {recall:.3f} its share in P "
        f"(thesis, definition 3.2.2). {LAWS_NOTE}"
    )
    return [Panel(figure, caption)]


def estimated_supports() -> Sequence[Panel]:
    """Figure 3.3: supp P as the union of k-NN balls, and the fakes that lie in it."""
    from trainables.measures import ball_counts, knn_radii, precision_recall_density_coverage
    from trainables.studies.supports import MODEL_BLOB, REAL_BLOB, support_scores

    real, fake = REAL_BLOB.sample(SAMPLES, seed=1), MODEL_BLOB.sample(SAMPLES, seed=2)
    inside = ball_counts(real, fake, NEIGHBOURS).real_balls_around_fake > 0
    figure = side_by_side(
        ("samples of P and of P̂", "the support of P, estimated", "precision: who lies in it"), 390
    )
    for col in (1, 2, 3):
        line = REAL_BLOB.boundary().numpy()
        figure.add_trace(
            _region(line, "support of P", REAL, 0.0, col == 1, dash="dot", width=1.4), row=1, col=col
        )
    for col in (2, 3):
        balls(figure, real.numpy(), knn_radii(real, NEIGHBOURS).numpy(), REAL, col)
    for col in (1, 2):
        figure.add_trace(dots(real.numpy(), "samples of P", REAL, showlegend=col == 1), row=1, col=col)
    figure.add_trace(dots(fake.numpy(), "samples of P̂", MODEL), row=1, col=1)
    figure.add_trace(dots(fake[inside].numpy(), "P̂, in a ball", COMMON), row=1, col=3)
    figure.add_trace(
        dots(fake[~inside].numpy(), "P̂, in none", PRECISION, 7, marker={"symbol": "x"}), row=1, col=3
    )
    _plane(figure, 3)
    few = precision_recall_density_coverage(real, fake, NEIGHBOURS)
    many = precision_recall_density_coverage(
        REAL_BLOB.sample(MANY, seed=1), MODEL_BLOB.sample(MANY, seed=2), NEIGHBOURS
    )
    alpha, beta = support_scores(REAL_BLOB, MODEL_BLOB)
    caption = (
        f"Each disc reaches to the third neighbour of a sample of P; {int(inside.sum())} of {SAMPLES} samples of P̂ "
        f"lie in one: precision {few.precision:.2f}, where the true share is {alpha:.2f}. The discs reach beyond the "
        f"support, and less so with more samples: at {MANY:,}, the least the thesis recommends, precision "
        f"{many.precision:.3f} and recall {many.recall:.3f} against {alpha:.3f} and {beta:.3f}. {LAWS_NOTE}"
    )
    return [Panel(figure, caption)]


def _region(
    outline: Array,
    name: str,
    colour: str,
    opacity: float,
    legend: bool,
    width: float = 2,
    dash: str = "solid",
) -> go.Scatter:
    return go.Scatter(
        x=outline[:, 0].round(4),
        y=outline[:, 1].round(4),
        name=name,
        mode="lines",
        line={"color": colour, "width": width, "dash": dash, "simplify": False},
        fill="toself",
        fillcolor=faded(colour, opacity),
        hoverinfo="skip",
        showlegend=legend,
    )


def _plane(figure: go.Figure, columns: int) -> None:
    for col in range(1, columns + 1):
        figure.update_xaxes(range=[-2.2, 2.9], dtick=1, title_text="x₁", row=1, col=col)
        figure.update_yaxes(range=[-2.2, 2.2], dtick=1, row=1, col=col)
        equal_axes(figure, col)
    figure.update_yaxes(title_text="x₂", row=1, col=1)


FIGURES = (
    Reproduction(
        "thesis-3.2", THESIS, "Figure 3.2, page 35", "Precision and recall of two supports", supports
    ),
    Reproduction(
        "thesis-3.3", THESIS, "Figure 3.3, page 36", "A support estimated by neighbours", estimated_supports
    ),
)
