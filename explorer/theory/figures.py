"""Pictures of a comparison: laws, curve and refined curve, PR-divergence, frontiers, divergences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from explorer.figures.theme import ACCENT, CONTRAST, LIGHT, NEUTRAL, SCALE, template
from explorer.store.schema import budget_text
from explorer.theory.comparison import Comparison, Point

__all__ = [
    "LABELS",
    "curve_figure",
    "divergence_figure",
    "frontier_figure",
    "laws_figure",
    "order_label",
    "pr_divergence_figure",
]

LABELS = {
    "kl": "KL",
    "reverse_kl": "reverse KL",
    "tv": "total variation",
    "jeffreys": "Jeffreys",
    "js": "Jensen-Shannon",
    "chi2": "Pearson χ²",
    "hellinger": "Hellinger²",
}

_ABOVE = {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.02, "yanchor": "bottom"}


def order_label(order: float) -> str:
    """An order α as it is written: ½, 1, 2, ∞."""
    return {0.5: "½", math.inf: "∞"}.get(order, f"{order:g}")


def laws_figure(comparison: Comparison) -> go.Figure:
    """Bars of the real law, the model and the refined model."""
    outcomes = [str(i + 1) for i in range(len(comparison.real))]
    figure = go.Figure()
    for name, law, colour in (
        ("real", comparison.real, NEUTRAL),
        ("model", comparison.model, ACCENT),
        (f"refined, K = {budget_text(comparison.refined.budget)}", comparison.refined.law, CONTRAST),
    ):
        figure.add_bar(
            x=outcomes,
            y=law,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate="outcome %{x}<br>%{fullData.name} <b>%{y:.4f}</b><extra></extra>",
        )
    return _finish(figure, "The laws", "probability of each outcome", "Outcome", "Probability").update_layout(
        barmode="group", bargap=0.35, xaxis={"type": "category"}
    )


def curve_figure(comparison: Comparison) -> go.Figure:
    """The PR curve before and after rejection."""
    refined = comparison.refined
    figure = go.Figure()
    for name, points, colour, of in (
        ("model", comparison.curve, ACCENT, comparison),
        (f"refined, K = {budget_text(refined.budget)}", refined.curve, CONTRAST, refined),
    ):
        _add_curve(figure, name, points, colour, (of.support_recall, of.support_precision))
    note = f"area {comparison.auc:.3f} before, {refined.auc:.3f} after rejection"
    figure = _finish(figure, "Precision against recall, all λ", note, "Recall β", "Precision α")
    square = {"range": [-0.02, 1.05], "dtick": 0.25}
    return figure.update_layout(xaxis=square, yaxis=square)


def pr_divergence_figure(comparison: Comparison) -> go.Figure:
    """D_λ over λ on a logarithmic axis: which trade-offs the model fails."""
    figure = go.Figure()
    rows = [(lam, value) for lam, value in comparison.pr_divergence if lam > 0]
    figure.add_scatter(
        x=[lam for lam, _ in rows],
        y=[value for _, value in rows],
        mode="lines",
        showlegend=False,
        line={"color": ACCENT, "width": 2.2},
        fill="tozeroy",
        fillcolor="rgba(59, 125, 216, 0.07)",
        hovertemplate="λ = %{x:.3g}<br>D<sub>λ</sub> <b>%{y:.4f}</b><extra></extra>",
    )
    figure = _finish(
        figure, "PR-divergence", "small λ asks for recall, large λ for precision", "λ", "D<sub>λ</sub>"
    )
    return figure.update_layout(xaxis={"type": "log", "dtick": 1}, yaxis={"rangemode": "tozero"})


def frontier_figure(comparison: Comparison, kind: str) -> go.Figure:
    """Divergence frontiers of one kind, one line an order α; both axes are losses."""
    figure = go.Figure()
    chosen = [f for f in comparison.frontiers if f.kind == kind]
    for i, frontier in enumerate(chosen):
        points = [(a, b) for a, b in frontier.points if math.isfinite(a) and math.isfinite(b)]
        figure.add_scatter(
            x=[b for _, b in points],
            y=[a for a, _ in points],
            mode="lines",
            name=f"α = {order_label(frontier.order)}",
            line={"color": SCALE[1 + 2 * i], "width": 2.2},
            hovertemplate="%{fullData.name}<br>to real %{x:.4f}<br>to model %{y:.4f}<extra></extra>",
        )
    arrow = ("D<sub>α</sub>(R‖real)", "D<sub>α</sub>(R‖model)")
    if kind == "inclusive":
        arrow = ("D<sub>α</sub>(real‖R)", "D<sub>α</sub>(model‖R)")
    where = "R in the intersection" if kind == "exclusive" else "R over the union"
    figure = _finish(
        figure, f"{kind.capitalize()} frontiers", f"{where}; lower and further left is better", *arrow
    )
    corner = {"orientation": "v", "x": 1, "xanchor": "right", "y": 1, "yanchor": "top"}
    return figure.update_layout(xaxis={"rangemode": "tozero"}, yaxis={"rangemode": "tozero"}, legend=corner)


def divergence_figure(comparison: Comparison) -> go.Figure:
    """Every divergence before and after rejection; infinite ones are named, not drawn."""
    names = [n for n, value in comparison.divergences.items() if math.isfinite(value)]
    names = [n for n in names if math.isfinite(comparison.refined.divergences[n])][::-1]
    figure = go.Figure()
    for label, values, colour in (
        (f"refined, K = {budget_text(comparison.refined.budget)}", comparison.refined.divergences, CONTRAST),
        ("model", comparison.divergences, ACCENT),
    ):
        figure.add_bar(
            y=[LABELS[n] for n in names],
            x=[values[n] for n in names],
            name=label,
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate="%{y}, %{fullData.name} <b>%{x:.5f}</b><extra></extra>",
        )
    missing = [LABELS[n] for n in comparison.divergences if n not in names]
    note = f"infinite: {', '.join(missing)}" if missing else "in nats where a logarithm is involved"
    figure = _finish(figure, "Divergences from real", note, "D(real‖·)", "")
    return figure.update_layout(barmode="group", bargap=0.35, legend={"traceorder": "reversed"})


def _add_curve(
    figure: go.Figure, name: str, points: Sequence[Point], colour: str, ends: tuple[float, float]
) -> None:
    """A curve from the recall axis' end (λ → 0) to the precision axis' (λ → ∞)."""
    rows = [(p.recall, p.precision, f"{p.lam:.3g}") for p in points]
    rows = [(ends[0], 0.0, "0"), *rows, (0.0, ends[1], "∞")]
    figure.add_scatter(
        x=[r[0] for r in rows],
        y=[r[1] for r in rows],
        customdata=[r[2] for r in rows],
        mode="lines",
        name=name,
        line={"color": colour, "width": 2.2},
        hovertemplate="λ = %{customdata}<br>recall %{x:.3f}<br>precision %{y:.3f}<extra>%{fullData.name}</extra>",
    )


def _finish(figure: go.Figure, title: str, note: str, x: str, y: str) -> go.Figure:
    return figure.update_layout(
        template=template(LIGHT),
        title={"text": title, "subtitle": {"text": note}},
        xaxis={"title": {"text": x}},
        yaxis={"title": {"text": y}},
        legend=_ABOVE,
        height=400,
    )
