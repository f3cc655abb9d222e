"""Figure 3.11 of the thesis: the curves of Sajjadi et al. and of Simon et al. for a diverse and a precise model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.reproduce.drawing import Array
from explorer.reproduce.panes import MODEL, PRECISION, curve, pr_axes, side_by_side
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction

if TYPE_CHECKING:
    from trainables.precision_recall import PRCurve
    from trainables.studies.digit_models import DigitModels

__all__ = ["FIGURES", "estimates"]

NEIGHBOURS, COMPONENTS = 3, 20
PRINTED = {
    ("k-NN", "diverse"): "0.54, 0.91",
    ("k-NN", "precise"): "0.84, 0.70",
    ("k-means", "diverse"): "0.90, 0.64",
    ("k-means", "precise"): "0.78, 0.91",
    ("classifier", "diverse"): "0.34, 0.56",
    ("classifier", "precise"): "0.54, 0.58",
    ("classifier of pixels", "diverse"): "as above",
    ("classifier of pixels", "precise"): "as above",
}
"""Table 3.2, precision and recall; "diverse" is its model 1, "precise" its model 2 (figure 1.2)."""


def estimates() -> Sequence[Panel]:
    """Samples of the two models, their curves by either method, and the pairs of table 3.2."""
    from trainables.studies.digit_models import digit_models

    sets = digit_models()
    titles = ("k-means (Sajjadi et al.)", "classifier (Simon et al.)", "the same, of all pixels")
    figure = side_by_side(titles, 400)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for name, colour in (("diverse", MODEL), ("precise", PRECISION)):
        pair, curves = _estimated(sets, name)
        found["k-NN", name] = pair
        for col, (method, drawn) in enumerate(curves.items(), start=1):
            found[method, name] = float(drawn.f_max(1 / 8)), float(drawn.f_max(8.0))
            label = f"{name} model"
            trace = curve(
                drawn.precision, drawn.recall, label, colour, showlegend=col == 1, legendgroup=label
            )
            figure.add_trace(trace, row=1, col=col)
    for col in (1, 2, 3):
        pr_axes(figure, col)
    numbers = [
        Compared(f"{method}, {name} model: P, R", printed, "{:.2f}, {:.2f}".format(*found[method, name]))
        for (method, name), printed in PRINTED.items()
    ]
    return [
        Panel(
            _montage(
                {"held-out digits": sets.real, "diverse model": sets.diverse, "precise model": sets.precise}
            ),
            "The thesis has two networks on MNIST; ours are stand-ins on scikit-learn's 8 × 8 digits that redraw "
            "training images with noise. The diverse one has all ten digits and puts a grey ground below four in "
            "ten, the precise one has the digits 0 to 4.",
        ),
        Panel(
            figure,
            f"{len(sets.real)} samples each, seen in their {COMPONENTS} leading principal components (the thesis: "
            "Inception), right in all 64 pixels. k-means (20 clusters, 10 runs) tells the models apart. What the "
            "classifier says (an ensemble of linear ones, held out) depends on what it is shown: pixels that are "
            "always blank in the data give the noise away, and both curves fall far below the others, as the "
            "thesis warns. The table is table 3.2, of other models, so that only the order compares: k-NN with k = "
            "3, else max F_1/8 and max F_8. Its printed row of k-means has precision and recall exchanged, as "
            "(3.15) has: by it the model with half of the digits would be the more diverse.",
            numbers,
        ),
    ]


def _estimated(sets: DigitModels, name: str) -> tuple[tuple[float, float], dict[str, PRCurve]]:
    """The k-NN pair, and the curves by method, of the model of that name."""
    from trainables.measures import classifier_scores, precision_recall_density_coverage, quantise

    seen = sets.embedded(COMPONENTS)
    fake, pixels = getattr(seen, name), getattr(sets, name)
    scores = precision_recall_density_coverage(seen.real, fake, NEIGHBOURS)
    return (scores.precision, scores.recall), {
        "k-means": quantise(seen.real, fake).curve(),
        "classifier": classifier_scores(seen.real, fake).curve(),
        "classifier of pixels": classifier_scores(sets.real, pixels).curve(),
    }


def _montage(sets: dict[str, object], rows: int = 4, columns: int = 9) -> go.Figure:
    """The first images of each set as one picture each, side by side."""
    figure = side_by_side(tuple(sets), 230)
    for col, images in enumerate(sets.values(), start=1):
        tiles: Array = np.asarray(images)[: rows * columns].reshape(rows, columns, 8, 8)
        framed = np.pad(tiles, ((0, 0), (0, 0), (0, 1), (0, 1)))
        picture = framed.transpose(0, 2, 1, 3).reshape(rows * 9, columns * 9)[:-1, :-1]
        figure.add_trace(
            go.Heatmap(
                z=np.round(picture, 1), zmin=0, zmax=16, colorscale="Greys", showscale=False, hoverinfo="skip"
            ),
            row=1,
            col=col,
        )
        figure.update_xaxes(visible=False, constrain="domain", row=1, col=col)
        across = "x" if col == 1 else f"x{col}"
        figure.update_yaxes(
            visible=False, autorange="reversed", scaleanchor=across, constrain="domain", row=1, col=col
        )
    figure.update_layout(margin={"t": 44, "b": 12})
    return figure


FIGURES = (
    Reproduction(
        "thesis-3.11",
        THESIS,
        "Figure 3.11 and table 3.2, pages 43 and 44",
        "Two estimates of a PR curve",
        estimates,
    ),
)
