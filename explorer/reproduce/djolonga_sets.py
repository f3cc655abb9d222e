"""Figure 1 of Djolonga et al. 2020: what precision and recall should be for uniform and for categorical laws."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorer.reproduce.drawing import Array
from explorer.reproduce.grids import MODEL, REAL, Cell, Grid, translucent
from explorer.reproduce.papers import DJOLONGA
from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.sajjadi_examples import EXAMPLES, NOTE, draw_laws

__all__ = ["FIGURES", "set_concepts"]

P_DISC, Q_DISC = (0.0, 0.0, 1.0), (0.75, 0.15, 0.8)
"""Centre and radius of the supports of P and Q."""
SHARED = "#009e73"
CELL = 0.01


def set_concepts() -> Sequence[Panel]:
    """(a) Uniform laws on two discs; (b) categorical laws and the frontiers of order ∞."""
    return [_uniform(), _categorical()]


def _uniform() -> Panel:
    from trainables.precision_recall import curve_density, equiangular_grid

    grid = Grid(
        ["R∩: uniform on the intersection", "R∪: uniform on the union", "precision and recall"],
        height=370,
        gap=0.06,
    )
    inside = [_inside(disc) for disc in (P_DISC, Q_DISC)]
    shares = [float((inside[0] & inside[1]).sum() / one.sum()) for one in inside[::-1]]
    lens, whole = _outlines()
    for i, (name, (x, y)) in enumerate((("R∩", lens), ("R∪", whole))):
        cell = grid.cell(i)
        for disc, colour, title in ((P_DISC, REAL, "support of P"), (Q_DISC, MODEL, "support of Q")):
            _shape(cell, *_circle(disc), title, colour, 0.3 if i == 0 else 0.0)
        _shape(cell, x, y, name, SHARED, 0.75 if i == 0 else 0.35, dash="solid" if i == 0 else "dot")
        hidden = {"visible": False, "range": [-1.2, 1.75]}
        cell.axes(hidden, {"visible": False, "range": [-1.3, 1.3]})
        cell.equal_scales()
    p, q = (one / (one.sum() * CELL**2) for one in inside)
    curve = curve_density(p, q, CELL**2, equiangular_grid(101))
    cell = grid.cell(2)
    cell.set_below(curve.precision, curve.recall, "pairs attained", SHARED)
    cell.point((shares[0], shares[1]), "(|R∩|/|Q|, |R∩|/|P|)", SHARED)
    cell.unit_square()
    caption = (
        "(a) Uniform P and Q on two discs. What Q has outside R∩ is lost precision (orange), what P has outside is "
        "lost recall (blue); the same two sets are what R∪ adds to P and to Q. So the curve α_λ = ∫ min(λp, q) is a "
        f"rectangle with its corner at the shares of the supports, precision {shares[0]:.3f} and recall "
        f"{shares[1]:.3f}. The discs are ours."
    )
    return Panel(grid.figure, caption)


def _categorical() -> Panel:
    from trainables.measures import tilts
    from trainables.precision_recall import frontier_discrete

    titles = [f"({example.letter}) {example.what}" for example in EXAMPLES]
    grid = Grid([*titles, *[""] * len(titles)], rows=2, height=420, gap=0.03)
    for i, example in enumerate(EXAMPLES):
        draw_laws(grid.cell(i), example)
        frontier = frontier_discrete(example.p, example.q, math.inf, "exclusive", tilts(201))
        precision, recall = frontier.scores()
        cell = grid.cell(i + len(EXAMPLES))
        cell.set_below(precision, recall, "below the exclusive frontier of order ∞", SHARED)
        cell.point((0.0, 0.0), "the pair (0, 0)", SHARED, legend=False)
        cell.unit_square(y_title="recall" if i == 0 else None)
    grid.figure.update_yaxes(showticklabels=False, ticks="", row=1)
    caption = (
        "(b) The examples of Sajjadi et al. above; below, what the framework of this paper makes of them: the "
        "exclusive divergence frontier of order ∞ as (e^{-D(R‖Q)}, e^{-D(R‖P)}), which is their PRD (Proposition 6). "
        + NOTE
    )
    return Panel(grid.figure, caption)


def _inside(disc: tuple[float, float, float]) -> NDArray[np.bool_]:
    """Which middles of the cells of a square grid lie in a disc, shape (n, n)."""
    middles = np.arange(-1.2, 2.0, CELL) + CELL / 2
    x, y = np.meshgrid(middles, middles, indexing="ij")
    return (x - disc[0]) ** 2 + (y - disc[1]) ** 2 <= disc[2] ** 2


def _circle(disc: tuple[float, float, float]) -> tuple[Array, Array]:
    angle = np.linspace(0, 2 * math.pi, 241)
    return disc[0] + disc[2] * np.cos(angle), disc[1] + disc[2] * np.sin(angle)


def _outlines() -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The closed outlines of the intersection and of the union of the discs."""
    arcs = [np.stack(_circle(disc)) for disc in (P_DISC, Q_DISC)]
    found = []
    for wanted in (True, False):
        kept = np.concatenate(
            [
                arc[:, ((arc[0] - other[0]) ** 2 + (arc[1] - other[1]) ** 2 <= other[2] ** 2) == wanted]
                for arc, other in zip(arcs, (Q_DISC, P_DISC), strict=True)
            ],
            axis=1,
        )
        middle = np.array([[0.45], [0.1]])  # inside the intersection, which sees all of either outline
        order = np.argsort(np.arctan2(*(kept - middle)[::-1]))
        closed = kept[:, np.append(order, order[0])]
        found.append((closed[0], closed[1]))
    return found[0], found[1]


def _shape(
    cell: Cell, x: Array, y: Array, name: str, colour: str, opacity: float, dash: str = "solid"
) -> None:
    cell.add(
        go.Scatter(
            x=np.round(x, 4),
            y=np.round(y, 4),
            name=name,
            mode="lines",
            line={"color": colour, "width": 1.8, "dash": dash},
            fill="toself",
            fillcolor=translucent(colour, opacity),
            hoverinfo="name",
        )
    )


FIGURES = (
    Reproduction(
        "djolonga-1",
        DJOLONGA,
        "Figure 1 (its page depends on the edition)",
        "Precision and recall from intersections and unions",
        set_concepts,
    ),
)
