"""Figures 2, 3 and 4 of Sajjadi et al. 2018: six pairs of laws, the sets they attain, and how those are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.drawing import Array
from explorer.reproduce.grids import MODEL, REAL, TRUTH, Cell, Grid, shades
from explorer.reproduce.papers import SAJJADI
from explorer.reproduce.record import Compared, Panel, Reproduction

if TYPE_CHECKING:
    from trainables.precision_recall import PRCurve

__all__ = [
    "EXAMPLES",
    "FIGURES",
    "Example",
    "algorithm",
    "attainable",
    "attainable_sets",
    "draw_laws",
    "example_laws",
]

LEFT = np.array([0.2, 0.6, 0.2, 0.0, 0.0, 0.0, 0.0])
RIGHT = LEFT[::-1]
BOTH = (LEFT + RIGHT) / 2
"""Two modes of three states each."""
NOISY = 0.9 * LEFT + 0.1 * RIGHT
RAYS = 19


@dataclass(frozen=True, eq=False)
class Example:
    """A pair of laws on seven states: P (real) and Q (model)."""

    letter: str
    what: str
    p: Array
    q: Array


EXAMPLES = (
    Example("a", "a mode dropped", BOTH, LEFT),
    Example("b", "a mode invented", LEFT, BOTH),
    Example("c", "equal", BOTH, BOTH),
    Example("d", "disjoint", LEFT, RIGHT),
    Example("e", "noisy (a)", BOTH, NOISY),
    Example("f", "noisy (b)", NOISY, BOTH),
)
NOTE = (
    "The paper prints no masses; ours are two modes of three states, with the weights 0.9 and 0.1 where one of them is "
    "nearly dropped or invented."
)


def attainable(p: Array, q: Array, points: int = 101) -> PRCurve:
    """The exact curve on an equiangular grid, with its corners and both ends, λ = 0 and λ = ∞."""
    import torch

    from trainables.precision_recall import RatioLaw, curve_discrete, equiangular_grid

    corners = RatioLaw.from_masses(torch.as_tensor(p.copy()), torch.as_tensor(q.copy())).breakpoints()
    ends = torch.tensor([0.0, torch.inf], dtype=torch.float64)
    return curve_discrete(p, q, np.unique(torch.cat([equiangular_grid(points), corners, ends]).numpy()))


def draw_laws(cell: Cell, example: Example) -> None:
    """The two laws as bars."""
    cell.bars({"P": (example.p, REAL), "Q": (example.q, MODEL)})
    cell.axes({"dtick": 1, "showticklabels": False, "ticks": ""}, {"range": [0, 0.66], "dtick": 0.2})


def example_laws() -> Sequence[Panel]:
    """Figure 2: what a model may do to two modes."""
    grid = Grid(_titles(), height=240, gap=0.03)
    for i, example in enumerate(EXAMPLES):
        draw_laws(grid.cell(i), example)
    grid.figure.update_yaxes(showticklabels=False, ticks="")
    caption = (
        "P and Q as masses of seven states. (a) Q drops a mode of P; (b) Q invents one; (c) they agree; (d) they share "
        f"nothing; (e) and (f) have one support each and look like (a) and (b) with noise. {NOTE}"
    )
    return [Panel(grid.figure, caption)]


def attainable_sets() -> Sequence[Panel]:
    """Figure 3: PRD(Q, P) of the six pairs."""
    grid = Grid(_titles(), height=250, gap=0.03, legend=False)
    numbers = []
    for i, example in enumerate(EXAMPLES):
        curve, cell = attainable(example.p, example.q), grid.cell(i)
        cell.set_below(curve.precision, curve.recall, "PRD(Q, P)", REAL)
        cell.point((0.0, 0.0), "the pair (0, 0)", REAL)
        cell.unit_square(y_title="recall" if i == 0 else None)
        if example.letter in "ab":
            printed = {"a": ("1", "0.5"), "b": ("0.5", "1")}[example.letter]
            for name, text, values in zip(
                ("precision", "recall"), printed, (curve.precision, curve.recall), strict=True
            ):
                numbers.append(
                    Compared(f"({example.letter}) largest {name}", text, f"{float(values.max()):.3f}")
                )
    caption = (
        "The pairs of precision and recall that each Q of Figure 2 attains: a rectangle where P and Q agree on what "
        "they share (a, b), the whole square for P = Q, the origin alone for disjoint supports, and a trade-off "
        "where they weigh their common support differently (e, f). A symmetric score cannot tell (a) from (b). "
        "Precision is drawn across, as in all figures here."
    )
    return [Panel(grid.figure, caption, numbers)]


def algorithm() -> Sequence[Panel]:
    """Figure 4: the set as a union of segments α = λβ, each as long as α_λ = Σ min(λp, q) allows."""
    from trainables.precision_recall import curve_discrete, equiangular_grid

    example = EXAMPLES[4]
    grid = Grid(["min(λP, Q) at λ = 1", f"{RAYS} rays of an equiangular grid"], height=400, gap=0.1)
    bars, rays = grid.cell(0), grid.cell(1)
    shared = np.minimum(example.p, example.q)
    bars.bars({"P": (example.p, REAL), "Q": (example.q, MODEL), "min(P, Q)": (shared, TRUTH)})
    bars.axes({"dtick": 1, "title": {"text": "state"}}, {"title": {"text": "mass"}})
    whole = attainable(example.p, example.q)
    rays.set_below(whole.precision, whole.recall, "PRD(Q, P)", REAL)
    ends = curve_discrete(example.p, example.q, equiangular_grid(RAYS))
    for colour, lam, alpha, beta in zip(shades(RAYS), ends.lam, ends.precision, ends.recall, strict=True):
        rays.line(
            np.array([0.0, alpha]), np.array([0.0, beta]), f"λ = {lam:.3g}", colour, width=1.4, legend=False
        )
        rays.point((float(alpha), float(beta)), f"λ = {lam:.3g}: end", colour, legend=False)
    rays.unit_square()
    caption = (
        "The pair (e) of Figure 2. Every ray α = λβ from the origin lies in the set up to its end "
        "(α_λ, β_λ), α_λ = Σ min(λp, q), β_λ = α_λ/λ, and the set is the union of these segments. At λ = 1 the sum is "
        f"{shared.sum():.2f}, one minus the total variation of P and Q. λ = tan(iπ/2(m+1)), i = 1…m; the paper "
        "draws the idea, the pair and m are ours."
    )
    return [Panel(grid.figure, caption)]


def _titles() -> list[str]:
    return [f"({example.letter}) {example.what}" for example in EXAMPLES]


FIGURES = (
    Reproduction(
        "sajjadi-2", SAJJADI, "Figure 2, page 3", "What can go wrong, in six pairs of laws", example_laws
    ),
    Reproduction(
        "sajjadi-3", SAJJADI, "Figure 3, page 3", "The pairs that each model attains", attainable_sets
    ),
    Reproduction("sajjadi-4", SAJJADI, "Figure 4, page 3", "A set made of rays", algorithm),
)
