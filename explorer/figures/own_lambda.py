"""Are models best at the λ they were trained at? α_λ of every level of λ, read at every other."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.figures.hover import safe
from explorer.figures.theme import LIGHT, SCALE, template
from explorer.results.audit import LambdaAudit, LambdaGroup
from explorer.results.naming import number
from explorer.results.promise import OwnLambda

__all__ = ["own_lambda_figure"]

PANELS = 6
"""Settings that one figure shows."""
COLOURS = [[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)]


def own_lambda_figure(audit: LambdaAudit) -> go.Figure | None:
    """A square per level trained at and level asked for, coloured by α_λ less the best of its column; ◆ is the best.

    Theory promises that the best are those on the diagonal. None where no group's curves are known.
    """
    groups = [group for group in audit.defined if group.own is not None][:PANELS]
    if not groups:
        return None
    columns = min(len(groups), 3)
    rows = -(-len(groups) // columns)
    figure = make_subplots(
        rows,
        columns,
        horizontal_spacing=0.08,
        vertical_spacing=0.28 / rows,
        subplot_titles=[safe(group.name, 40) for group in groups] if len(groups) > 1 else None,
    )
    depth = max(max(map(max, _behind(group.own))) for group in groups if group.own is not None)
    for place, group in enumerate(groups):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        if group.own is not None:
            figure.add_trace(_squares(group.own, depth, place == 0), **where)
        figure.update_xaxes(title={"text": "asked for λ"}, type="category", showgrid=False, **where)
        figure.update_yaxes(
            title={"text": "trained at λ" if place % columns == 0 else ""},
            type="category",
            showgrid=False,
            **where,
        )
    figure.update_layout(
        template=template(LIGHT),
        title={"text": _title(groups), "subtitle": {"text": safe(_subtitle(groups), 140)}},
        margin={"t": 104 if len(groups) > 1 else 76},
        height=400 if rows == 1 else 130 + 300 * rows,
    )
    return figure


def _behind(own: OwnLambda) -> list[list[float]]:
    """By how much each level is behind the best of its column."""
    best = [max(row[column] for row in own.shares) for column in range(len(own.levels))]
    return [[best[column] - share for column, share in enumerate(row)] for row in own.shares]


def _squares(own: OwnLambda, depth: float, bar: bool) -> go.Heatmap:
    levels = [number(level) for level in own.levels]
    behind = _behind(own)
    marks = [["◆ " if lost == 0 else "" for lost in row] for row in behind]
    return go.Heatmap(
        x=levels,
        y=levels,
        z=[[-lost for lost in row] for row in behind],
        zmin=-max(depth, 1e-9),
        zmax=0,
        text=[
            [f"{mark}{share:.2f}" for mark, share in zip(line, row, strict=True)]
            for line, row in zip(marks, own.shares, strict=True)
        ],
        texttemplate="%{text}",
        textfont={"size": 12},
        colorscale=COLOURS,
        showscale=bar,
        colorbar={"title": {"text": "less than the best"}, "thickness": 12, "outlinewidth": 0},
        xgap=2,
        ygap=2,
        hovertemplate="trained at λ %{y}, read at λ %{x}<br>α_λ / min(1, λ) <b>%{text}</b><extra></extra>",
    )


def _title(groups: Sequence[LambdaGroup]) -> str:
    owned = [group.own for group in groups if group.own is not None]
    hits, levels = sum(own.hits for own in owned), sum(len(own.levels) for own in owned)
    return f"Models are best at the λ they were trained at for {hits} of {levels} values"


def _subtitle(groups: Sequence[LambdaGroup]) -> str:
    told = ["α_λ / min(1, λ), mean over seeds", "◆ best of its column"]
    if len(groups) == 1 and groups[0].own is not None:
        own = groups[0].own
        told.append(f"mean regret {sum(own.regret) / len(own.regret):.3f}")
    return " · ".join(told)
