"""Figure 3.10 of the thesis: six pairs of laws on two bins, and their PR curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from plotly.subplots import make_subplots

from explorer.figures.theme import LIGHT, template
from explorer.reproduce.panes import MODEL, REAL, curve, pr_set
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction

__all__ = ["CASES", "FIGURES", "six_pairs"]

CASES = {
    "A": ((1.0, 0.0), (0.0, 1.0)),
    "B": ((1.0, 0.0), (0.5, 0.5)),
    "C": ((0.9, 0.1), (0.5, 0.5)),
    "D": ((0.5, 0.5), (0.9, 0.1)),
    "E": ((0.5, 0.5), (1.0, 0.0)),
    "F": ((0.5, 0.5), (0.5, 0.5)),
}
"""P and P̂ of each case."""

PRINTED = {"A": "0, 0", "B": "0.5, not given", "C": "1, 1", "D": "1, 1", "E": "not given, 0.5", "F": "1, 1"}


def six_pairs() -> Sequence[Panel]:
    """Bars above, the curve of each pair below."""
    from trainables.precision_recall import curve_discrete, equiangular_grid

    lam = np.concatenate([[0.0], equiangular_grid(201).numpy(), [np.inf]])
    figure = make_subplots(
        2,
        len(CASES),
        subplot_titles=tuple(CASES),
        vertical_spacing=0.16,
        horizontal_spacing=0.035,
        row_heights=[0.45, 0.55],
    )
    numbers = []
    for col, (name, (p, q)) in enumerate(CASES.items(), start=1):
        for law, colour, label in ((p, REAL, "P"), (q, MODEL, "P̂")):
            figure.add_bar(
                x=[1, 2],
                y=law,
                name=label,
                marker={"color": colour},
                showlegend=col == 1,
                legendgroup=label,
                row=1,
                col=col,
            )
        found = curve_discrete(p, q, lam)
        figure.add_trace(pr_set(found.precision, found.recall).update(showlegend=False), row=2, col=col)
        drawn = curve(found.precision, found.recall, f"curve of {name}", MODEL, showlegend=False)
        if found.precision.max() == 0:
            drawn.update(mode="markers", marker={"color": MODEL, "size": 10})
        figure.add_trace(drawn, row=2, col=col)
        best = f"{found.precision.max():.2g}, {found.recall.max():.2g}"
        numbers.append(Compared(f"{name}: largest precision, largest recall", PRINTED[name], best))
        figure.update_xaxes(tickvals=[1, 2], range=[0.4, 2.6], row=1, col=col)
        figure.update_yaxes(range=[0, 1.05], dtick=0.5, showticklabels=col == 1, row=1, col=col)
        across = f"x{len(CASES) + col}"
        figure.update_xaxes(range=[-0.06, 1.1], dtick=0.5, constrain="domain", title_text="α", row=2, col=col)
        figure.update_yaxes(
            range=[-0.06, 1.1],
            dtick=0.5,
            showticklabels=col == 1,
            scaleanchor=across,
            constrain="domain",
            row=2,
            col=col,
        )
    figure.update_xaxes(title_standoff=4)
    figure.update_yaxes(title_text="mass", row=1, col=1)
    figure.update_yaxes(title_text="β", row=2, col=1)
    figure.update_layout(
        template=template(LIGHT),
        height=440,
        margin={"t": 40, "b": 90},
        bargap=0.25,
        legend={"orientation": "h", "x": 0.5, "xanchor": "center", "y": -0.16, "yanchor": "top"},
    )
    caption = (
        "Disjoint supports (A), an invented bin (B) and its soft version (C), a missed bin (E) and its soft "
        "version (D), equal laws (F). In C and D the supports agree, so both maxima are 1, and the curve bends "
        "where densities differ. The thesis prints what the largest precision and recall are, not the masses; two "
        "bins with these masses are ours."
    )
    return [Panel(figure, caption, numbers)]


FIGURES = (
    Reproduction(
        "thesis-3.10", THESIS, "Figure 3.10, page 42", "Six pairs of laws and their PR curves", six_pairs
    ),
)
