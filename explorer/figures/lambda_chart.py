"""Asked λ against achieved precision and recall: a line per setting of all the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Band, Card, CardRow, Chart, Dash, Layer, Line, Panel, Points
from explorer.figures.scales import axis_of, possible
from explorer.results.audit import LambdaAudit, LambdaGroup
from explorer.results.catalogue import LAMBDA
from explorer.results.columns import Columns
from explorer.results.fields import sentence
from explorer.results.inertness import ways_of
from explorer.results.lambda_columns import lambdas_of
from explorer.results.lambda_curves import LambdaCurve, lambda_curve
from explorer.results.naming import number
from explorer.results.promise import MOST_LEVELS
from explorer.results.sentences import audit_title, correlations
from explorer.words import counted

__all__ = ["GROUPS", "drawn_groups", "lambda_chart"]

GROUPS = 12
"""Settings that one chart shows; more lines would not be told apart."""
METRICS = ("precision", "recall")
MOST_FAINT = 4000
"""Single trials that are drawn as points of the usual size; more are smaller."""
SOLID: Dash = "solid"
DASHED: Dash = "dash"


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A group with its colour and its curves, a curve per metric."""

    group: LambdaGroup
    colour: str
    dash: Dash
    curves: tuple[LambdaCurve, ...]


def drawn_groups(audit: LambdaAudit, selected: str | None = None) -> tuple[LambdaGroup, ...]:
    """The groups that a chart shows: the first of those of enough values of λ, and that of the selected trial."""
    groups = audit.defined[:GROUPS]
    own = next((group for group in audit.defined[GROUPS:] if selected in group.ids), None)
    return groups if own is None else (*groups[:-1], own)


def lambda_chart(columns: Columns, audit: LambdaAudit, selected: str | None = None) -> Chart:
    """Precision and recall at the audit's reading against λ (logarithmic), one panel each.

    Where λ has levels a line goes through the means over seeds, with 95 % intervals; where it is continuous a smooth
    curve has a pointwise 95 % band. Single trials are faint points, hollow where λ did nothing; their keys are
    identities. Axes span all readings: the frame stays as K moves. O(n log n) for the n trials that are drawn.
    """
    groups = drawn_groups(audit, selected)
    several = len(groups) > 1
    drawn = [
        _Drawn(
            group,
            f"category:{place % 8}" if several else "accent",
            SOLID if place < 8 else DASHED,
            tuple(lambda_curve(columns, group, metric, audit.at) for metric in METRICS),
        )
        for place, group in enumerate(groups)
    ]
    shown = [curve for one in drawn for curve in one.curves]
    rows = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(curve.rows for curve in shown)]))
    panels = [
        Panel("", _layers(columns, drawn, which, rows), y=axis_of(columns, metric))
        for which, metric in enumerate(METRICS)
    ]
    return Chart(
        _axis(columns, shown),
        axis_of(columns, METRICS[0]),
        (),
        title="Precision and recall against λ",
        subtitle=_subtitle(audit, shown),
        note=_note(columns, audit, groups, rows),
        panels=panels,
        keys=tuple(columns.ids[row] for row in rows),
        card=_card(columns, audit, rows),
        selected=(selected,) if selected is not None and columns.row_of.get(selected) in rows else (),
        alt=_alt(audit, groups),
        height=480,
        file=f"{columns.table.sweep}-lambda",
    )


def _layers(
    columns: Columns, drawn: Sequence[_Drawn], which: int, rows: NDArray[np.int64]
) -> tuple[Layer, ...]:
    """Points at the back, then bands and lines, so that no line is lost among points."""
    back: list[Layer] = []
    front: list[Layer] = []
    inert = ways_of(columns) > 0
    radius = 3.5 if len(rows) <= MOST_FAINT else 2.2
    for one in drawn:
        curve = one.curves[which]
        alone = not (curve.is_smooth or curve.repeats)
        if len(curve.rows):
            back.append(
                Points(
                    curve.lambdas,
                    curve.values,
                    np.searchsorted(rows, curve.rows),
                    one.colour,
                    5.0 if alone else radius,
                    hollow=inert[curve.rows],
                    opacity=1.0 if alone else 0.4,
                )
            )
        if not len(curve.x):
            continue
        low, high = (possible(columns, METRICS[which], ends) for ends in (curve.low, curve.high))
        if curve.is_smooth:
            front.append(Band(curve.x, low, high, one.colour))
        front.append(Line(curve.x, curve.y, one.colour, 2.2, one.dash, name=_name(one.group)))
        if curve.repeats:
            front.append(
                Points(
                    curve.x,
                    curve.y,
                    colour=one.colour,
                    radius=5.0,
                    y_low=low,
                    y_high=high,
                )
            )
    return (*back, *front)


def _name(group: LambdaGroup) -> str:
    told = f"ρ {correlations(group)}"
    return f"{group.name} · {told}" if group.name else told


def _axis(columns: Columns, curves: Sequence[LambdaCurve]) -> Axis:
    values = np.unique(np.concatenate([np.empty(0), *(curve.lambdas for curve in curves)]))
    low, high = (float(values[0]), float(values[-1])) if len(values) else (0.1, 10.0)
    free = max((high / low) ** 0.06, 1.15)
    few = len(values) <= MOST_LEVELS
    return Axis(
        columns.table.title(LAMBDA),
        low / free,
        high * free,
        log=True,
        hint=sentence(LAMBDA, columns.table.catalogue),
        ticks=tuple(values.tolist()) if few else (),
        labels=tuple(number(lam) for lam in values) if few else (),
    )


def _subtitle(audit: LambdaAudit, curves: Sequence[LambdaCurve]) -> str:
    told = []
    if any(curve.repeats for curve in curves):
        told.append("mean and 95 % interval over seeds")
    if any(curve.is_smooth for curve in curves):
        told.append("smooth curve and its 95 % band")
    return " · ".join([*told, audit.where, "ρ with precision / recall"])


def _note(
    columns: Columns, audit: LambdaAudit, groups: Sequence[LambdaGroup], rows: NDArray[np.int64]
) -> str:
    told = []
    if len(audit.defined) > len(groups):
        told.append(f"{len(groups)} of {len(audit.defined)} settings are drawn; filters choose others.")
    if bool((ways_of(columns)[rows] > 0).any()):
        told.append("Hollow: λ did nothing there.")
    placed = {columns.row_of[identity] for group in groups for identity in group.ids}
    beyond = int((lambdas_of(columns)[sorted(placed)] <= 0).sum()) if placed else 0
    if beyond:
        told.append(f"{counted(beyond, 'trial')} of λ ≤ 0 have no place on this axis.")
    return " ".join(told)


def _card(columns: Columns, audit: LambdaAudit, rows: NDArray[np.int64]) -> Card:
    shown = [
        CardRow(columns.table.title(metric), columns.metric(metric, audit.at)[rows]) for metric in METRICS
    ]
    return Card(
        tuple(columns.names[row] for row in rows),
        tuple(columns.ids[row] for row in rows),
        (CardRow(columns.table.title(LAMBDA), lambdas_of(columns)[rows]), *shown),
    )


def _alt(audit: LambdaAudit, groups: Sequence[LambdaGroup]) -> str:
    told = "; ".join(f"{group.name or 'all trials'}: ρ {correlations(group)}" for group in groups[:3])
    return f"Precision and recall against λ at {audit.where}. {audit_title(audit)}. {told}."
