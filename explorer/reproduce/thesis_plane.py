"""Figure 6.14 of the thesis: the loss over a plane of generators of images, after rejection at K = 1, 2 and 5."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
import plotly.graph_objects as go
from PIL import Image
from plotly.subplots import make_subplots

from explorer.figures.theme import LIGHT, SCALE, template
from explorer.html.picture import picture_source
from explorer.reproduce.drawing import Array
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

__all__ = ["COMMAND", "FIGURES", "Landscape", "landscape_panels", "loss_landscapes"]

BLURS = (0.3, 0.0)
COMMAND = "python benchmarks/loss_plane.py OUT --side 11 --first 800 --second 400"
"""What made the stored result, but for where the data lie."""
KEPT, REFUSED = (46, 160, 67), (207, 60, 50)
COLUMNS, ROWS = 8, 4
FRAME = 2


@dataclass(frozen=True)
class Landscape:
    """The loss at [K, x, y] and some draws of the generators where it is least and greatest.

    Attributes:
        blur: σ of the noise on real and generated points.
        axis: coordinates of the grid, the same in x and y.
        dual: the loss, D_GAN(P‖P̃) bounded from below.
        error: its standard error.
    """

    blur: float
    axis: Array
    budgets: Sequence[float]
    dual: Array
    error: Array
    draws: Mapping[str, Array]

    @classmethod
    def read(cls, folder: Traversable, suffix: str = "") -> Landscape:
        """What ``benchmarks/loss_plane.py`` leaves, plane….json and samples….npz."""
        told = json.loads(folder.joinpath(f"plane{suffix}.json").read_text(encoding="utf-8"))
        with np.load(io.BytesIO(folder.joinpath(f"samples{suffix}.npz").read_bytes())) as held:
            draws = {name: held[name] for name in held.files}
        grids = {name: np.array(told[name], dtype=float) for name in ("dual", "error")}
        if np.isnan(grids["dual"]).any():
            raise ValueError(
                "the landscape must be complete, and losses are missing; let the study run to its end"
            )
        return cls(told["settings"]["blur"], np.array(told["axis"]), told["budgets"], draws=draws, **grids)


def loss_landscapes() -> Sequence[Panel]:
    """Figure 6.14, from the stored result."""
    folder = files("explorer.reproduce").joinpath("data", "loss_plane")
    return landscape_panels([Landscape.read(folder, f"-blur-{blur:g}") for blur in BLURS])


def landscape_panels(found: Sequence[Landscape]) -> Sequence[Panel]:
    """A panel of every landscape, and one of the samples of the first."""
    captions = [_caption(one, first=not at) for at, one in enumerate(found)]
    panels = [
        Panel(_surfaces(one), caption, _numbers(one)) for one, caption in zip(found, captions, strict=True)
    ]
    return [*panels, _samples(found[0])]


def _caption(one: Landscape, first: bool) -> str:
    noise = f"with noise of σ = {one.blur:g} on every pixel of both" if one.blur else "as they are"
    if not first:
        return f"The same with real and generated images {noise}. " + _departure(one)
    return (
        "The loss D_GAN(P‖P̃) after rejection at K = 1 (none), 2 and 5, over the generators "
        f"θ₀ + x(θ₁ - θ₀) + y(θ₂ - θ₀), real and generated images {noise}. It is -log 4 where the laws agree and 0 "
        "where they have nothing in common. θ₀ is the perceptron GAN of C.2.3 after 35,000 iterations on "
        "Fashion-MNIST, in place of MNIST; θ₁ and θ₂ are θ₀ with noise of half the size of its weights, trained on for "
        "5,000. At every point a critic goes on alone and rejects, and a second one reads the loss on test images: a "
        "lower bound, where the thesis prints the primal value of a linear layer, which may be off either way. Made "
        f"on a GPU by {COMMAND}. "
    ) + _departure(one)


def _departure(one: Landscape) -> str:
    """Whether rejection lowers and flattens, as printed: everywhere, and between the three generators."""
    lower = min(float(np.mean(loss < one.dual[0])) for loss in one.dual[1:])
    x, y = np.meshgrid(one.axis, one.axis, indexing="ij")
    between = (x > -1e-9) & (y > -1e-9) & (x + y < 1 + 1e-9)
    return (
        f"As printed, rejection lowers the loss, at {lower:.0%} of the points or more. From lowest to highest it is "
        f"{_ranges(one.dual.reshape(len(one.dual), -1))} over the whole plane at these K, for next to nothing can be "
        "made of generators whose loss is near 0, and "
        f"{_ranges(one.dual[:, between])} in the triangle between θ₀, θ₁ and θ₂: where it shrinks the landscape is "
        "flatter, as printed, where it grows it is not. "
    )


def _ranges(losses: Array) -> str:
    return ", ".join(f"{loss.max() - loss.min():.2f}" for loss in losses)


def _numbers(one: Landscape) -> list[Compared]:
    return [
        Compared(
            f"K = {budget:g}: lowest, mean and highest loss",
            "lower and flatter than at K = 1" if at else "the highest and roughest",
            ", ".join(f"{value:.3f}" for value in (loss.min(), loss.mean(), loss.max())),
        )
        for at, (budget, loss) in enumerate(zip(one.budgets, one.dual, strict=True))
    ]


def _surfaces(one: Landscape) -> go.Figure:
    low, high = float(one.dual.min()), float(max(0.0, one.dual.max()))
    parts = {f"K = {budget:g}": _surface(one, at, low, high) for at, budget in enumerate(one.budgets)}
    figure = side_by_side(parts, columns=len(parts), height=330, spacing=0.08)
    figure.update_traces(selector={"type": "contour"}, showlegend=False)
    figure.data[0].update(showscale=True, colorbar={"title": {"text": "loss"}, "thickness": 12, "len": 0.9})
    return figure


def _surface(one: Landscape, at: int, low: float, high: float) -> go.Figure:
    figure = go.Figure(
        go.Contour(
            x=one.axis.round(4),
            y=one.axis.round(4),
            z=one.dual[at].T.round(5),
            zmin=low,
            zmax=high,
            contours={"start": low, "end": high, "size": (high - low) / 14, "coloring": "heatmap"},
            line={"width": 0.6, "color": "rgba(255, 255, 255, 0.45)"},
            colorscale=[[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)],
            showscale=False,
            hovertemplate="x = %{x:.2f}, y = %{y:.2f}<br>loss %{z:.4f}<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[0, 1, 0],
        y=[0, 0, 1],
        mode="markers+text",
        text=["θ₀", "θ₁", "θ₂"],
        textposition="top center",
        textfont={"color": "#ffffff", "size": 13},
        marker={"symbol": "x", "size": 9, "color": "#ffffff", "line": {"width": 1, "color": "#1c2430"}},
        showlegend=False,
        hoverinfo="skip",
    )
    ends = [float(one.axis[0]), float(one.axis[-1])]
    figure.update_xaxes(title_text="x", range=ends)
    figure.update_yaxes(title_text="y", range=ends, scaleanchor="x")
    return figure


def _samples(one: Landscape) -> Panel:
    """Draws at the lowest and the highest loss of every budget, framed green where kept and red where not."""
    names = [(where, budget) for where in ("lowest", "highest") for budget in one.budgets]
    titles = []
    for where, budget in names:
        x, y = (float(one.axis[int(at)]) for at in one.draws[f"{where}_{budget:g}_at"])
        titles.append(f"{where} loss at K = {budget:g}, at ({x:.1f}, {y:.1f})")
    sheets = [
        _sheet(one.draws[f"{where}_{budget:g}"], one.draws[f"{where}_{budget:g}_kept"])
        for where, budget in names
    ]
    return Panel(
        _sheets(dict(zip(titles, sheets, strict=True)), len(one.budgets)),
        f"{COLUMNS * ROWS} draws of the generators with the lowest and the highest loss, framed in green "
        "where rejection keeps them and in red where it does not; at K = 1 all are kept. In print the same "
        "for MNIST.",
    )


def _sheets(sheets: Mapping[str, bytes], columns: int) -> go.Figure:
    """Pictures by title, so many in a row."""
    figure = make_subplots(
        2, columns, subplot_titles=list(sheets), horizontal_spacing=0.02, vertical_spacing=0.1
    )
    for index, content in enumerate(sheets.values()):
        at = {"row": index // columns + 1, "col": index % columns + 1}
        place = {"x": 0, "y": 0, "sizex": 1, "sizey": ROWS / COLUMNS, "sizing": "contain", "layer": "above"}
        figure.add_layout_image({"source": picture_source(content)} | place, **at)
        figure.update_xaxes(range=[0, 1], visible=False, constrain="domain", **at)
        figure.update_yaxes(
            range=[ROWS / COLUMNS, 0], visible=False, scaleanchor=f"x{index + 1 if index else ''}", **at
        )
    figure.update_annotations(font={"size": 13})
    figure.update_layout(template=template(LIGHT), height=500, margin={"t": 66, "b": 8, "l": 8, "r": 8})
    return figure


def _sheet(draws: Array, kept: Array) -> bytes:
    """A picture of the first draws in their frames."""
    count = min(len(draws), COLUMNS * ROWS)
    side = draws.shape[-1]
    tile = side + 2 * FRAME
    sheet = np.full((ROWS * tile, COLUMNS * tile, 3), 255, np.uint8)
    for at in range(count):
        top, left = at // COLUMNS * tile, at % COLUMNS * tile
        sheet[top : top + tile - 1, left : left + tile - 1] = KEPT if kept[at] else REFUSED
        grey = draws[at].reshape(-1, side, side)[0]
        sheet[top + FRAME : top + FRAME + side, left + FRAME : left + FRAME + side] = grey[:, :, None]
    data = io.BytesIO()
    Image.fromarray(sheet).save(data, "png", optimize=True)
    return data.getvalue()


FIGURES = (
    Reproduction(
        "thesis-6.14",
        THESIS,
        "Figure 6.14, page 116",
        "The landscape of a GAN on images, after rejection",
        loss_landscapes,
    ),
)
