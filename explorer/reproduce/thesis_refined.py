"""Figures 6.7 and 6.10 of the thesis: samples of a GAN on 25 Gaussians after each refinement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import Array
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side
from explorer.reproduce.thesis_table_61 import MODEL_NOTE, PRINTED

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.sources.law import Law

__all__ = ["FIGURES", "large_budgets", "refined_samples"]

DRAWN = 1500
STEPS = 60
"""With a large budget."""
SHARE = 0.1
"""Of L, with which DOT does move."""
CELL = 0.02
"""Side of the cells of the plane in which samples are counted as one place: a fifth of σ."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Samples (n, 2), and which of them are within 3σ of a mode; shares, and in how many cells they lie per sample."""

    points: Array
    near: NDArray[np.bool_]
    precision: float
    recall: float
    places: float

    @classmethod
    def of(cls, points: Tensor, law: Law) -> Seen:
        """What the law's modes make of samples."""
        modes = law.modes(points)
        assert modes is not None
        near = modes.near.numpy()
        hit = np.unique(modes.nearest.numpy()[near])
        cells = np.unique((points / CELL).round().numpy(), axis=0)
        return cls(
            points.double().numpy(),
            near,
            float(near.mean()),
            len(hit) / len(modes.weights),
            len(cells) / len(points),
        )

    def title(self, name: str) -> str:
        """Of its picture."""
        return f"{name}: {self.precision:.1%} precise"


def refined_samples() -> Sequence[Panel]:
    """Figure 6.7: 2,500 samples of the model as it is and of five refinements at a matched cost."""
    from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
    from trainables.studies.refined_sets import Shared, refined_points, settled
    from trainables.studies.table_61 import PRINTED_BUDGET, ROWS

    model, law = Shared(gaussians25_gan()), gaussians25_law()
    shown = ("baseline", "DRS", "OBRS", "MH-GAN", "DOT", "DGflow")
    rows = {row.title: row for row in ROWS}
    found = {}
    for title in shown:
        row = rows[title]
        constants = settled(model, row.method, row.budget)
        found[title] = Seen.of(refined_points(model, row.method, row.budget, constants)[0], law)
    caption = (
        f"{DRAWN:,} of 2,500 samples each, those within 3σ of a mode in blue, the others in orange; the cost "
        f"is that of the printed OBRS, K = {PRINTED_BUDGET:.2f}, for all but the baseline, so DOT has two "
        "steps and DGflow one (the thesis takes three of both). "
    )
    return [Panel(_scatters(found), caption + MODEL_NOTE, list(_numbers(found)))]


def _numbers(found: Mapping[str, Seen]) -> Sequence[Compared]:
    """Of one set each; table 6.1 has means."""
    printed = {title.partition(",")[0]: row for title, row in PRINTED.items()}
    return [
        Compared(f"precision, {title}", f"{printed[title].precision[0]:.1f}%", f"{one.precision:.1%}")
        for title, one in found.items()
    ]


def large_budgets() -> Sequence[Panel]:
    """Figure 6.10: DOT and DGflow with many steps."""
    import torch

    from trainables.refinements.dgflow import DGFlow
    from trainables.refinements.dot import Dot
    from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
    from trainables.studies.refined_sets import Shared, refined_points, settled

    model, law = Shared(gaussians25_gan()), gaussians25_law()
    dot, flow = Dot(rate=0.005), DGFlow(rate=0.001)
    budget = STEPS + 0.5
    constants = settled(model, dot, budget)
    less = constants * torch.tensor([SHARE, 1.0], dtype=constants.dtype)
    flow_budget = (3 * STEPS + 1) / 2
    samples = {
        "DOT": refined_points(model, dot, budget, constants, DRAWN),
        f"DOT, {SHARE:g} L": refined_points(model, dot, budget, less, DRAWN),
        "DGflow": refined_points(model, flow, flow_budget, settled(model, flow, flow_budget), DRAWN),
    }
    found = {title: Seen.of(points, law) for title, (points, _) in samples.items()}
    calls = {title: sum(vars(ledger.cost()).values()) for title, (_, ledger) in samples.items()}
    numbers = [
        number
        for title, one in found.items()
        for number in (
            Compared(f"precision, {title}", "perfect", f"{one.precision:.1%}"),
            Compared(f"recall, {title}", "less than all modes", f"{one.recall:.0%}"),
            Compared(
                f"cells of side {CELL:g} per sample, {title}",
                "a few points" if title.startswith("DOT") else "",
                f"{one.places:.2f}",
            ),
        )
    ]
    caption = (
        f"{DRAWN:,} samples after {STEPS} steps: {calls['DOT']:.0f} calls for one of DOT, "
        f"{calls['DGflow']:.0f} of DGflow, of rates {dot.rate:g} and {flow.rate:g}. The thesis finds that "
        "DOT ends in a few points and both lose recall. Here DOT with the L of Tanaka, the steepest slope "
        "between pairs of draws, makes samples no more precise: what holds them back is about as strong as "
        "what pulls. With a tenth of L it gathers four fifths of them in a few places, as in print, and "
        "drives the others away. DGflow becomes precise and gathers samples too; all modes are still hit. "
    )
    return [Panel(_scatters(found), caption + MODEL_NOTE, numbers)]


def _scatters(found: Mapping[str, Seen]) -> go.Figure:
    reach = 1.05 * max(2.5, *(float(np.abs(one.points[:DRAWN]).max()) for one in found.values()))
    parts = {one.title(name): _scatter(one, reach) for name, one in found.items()}
    figure = side_by_side(parts, columns=3, height=330, spacing=0.05)
    figure.update_layout(legend={"itemsizing": "constant"})
    return figure


def _scatter(seen: Seen, reach: float) -> go.Figure:
    figure = go.Figure()
    points, near = seen.points[:DRAWN].round(3), seen.near[:DRAWN]
    for name, which, colour in (
        ("within 3σ of a mode", near, CATEGORIES[0]),
        ("elsewhere", ~near, CATEGORIES[5]),
    ):
        figure.add_scatter(
            x=points[which, 0],
            y=points[which, 1],
            mode="markers",
            name=name,
            marker={"size": 3, "color": colour, "opacity": 0.55, "line": {"width": 0}},
            hoverinfo="skip",
        )
    figure.update_xaxes(range=[-reach, reach])
    figure.update_yaxes(range=[-reach, reach], scaleanchor="x")
    return figure


FIGURES = (
    Reproduction(
        "thesis-6.7", THESIS, "Figure 6.7, page 109", "25 Gaussians after five refinements", refined_samples
    ),
    Reproduction(
        "thesis-6.10", THESIS, "Figure 6.10, page 111", "DOT and DGflow with large budgets", large_budgets
    ),
)
