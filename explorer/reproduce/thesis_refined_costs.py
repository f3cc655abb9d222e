"""Figures 6.8 and 6.9 of the thesis: what refinements of a GAN on 25 Gaussians give, by what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side
from explorer.reproduce.thesis_table_61 import MODEL_NOTE

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.refinements.budgeted import Budgeted
    from trainables.studies.refined_sets import Sets
    from trainables.studies.table_61 import Line

__all__ = ["FIGURES", "by_acceptance", "by_cost"]

COLOURS = {
    "OBRS": CATEGORIES[0],
    "DRS": CATEGORIES[1],
    "MH-GAN": CATEGORIES[2],
    "DOT": CATEGORIES[3],
    "DGflow": CATEGORIES[5],
}
CHOSEN_BUDGETS = (1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0)
CHAINS = (2.0, 3.0, 4.0, 6.0, 10.0, 16.0)
DOT_STEPS, FLOW_STEPS = (1, 2, 3, 5, 10), (1, 2, 3, 5)
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
SETS = 10
WANTED = 0.9


def by_cost() -> Sequence[Panel]:
    """Figure 6.8: precision and recall over seconds, and over calls."""
    from trainables.refinements.drs import Drs
    from trainables.refinements.mh import MetropolisHastings
    from trainables.refinements.obrs import Obrs
    from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
    from trainables.studies.refined_sets import Shared
    from trainables.studies.table_61 import DGFLOW, DOT, Row, table_61

    asked: Mapping[str, tuple[Budgeted, Sequence[float]]] = {
        "OBRS": (Obrs(), CHOSEN_BUDGETS),
        "DRS": (Drs(), CHOSEN_BUDGETS),
        "MH-GAN": (MetropolisHastings(), CHAINS),
        "DOT": (DOT, [steps + 0.5 for steps in DOT_STEPS]),
        "DGflow": (DGFLOW, [(3 * steps + 1) / 2 for steps in FLOW_STEPS]),
    }
    model, law = gaussians25_gan(), gaussians25_law()
    shared = Shared(model)
    found = {
        name: list(table_61(model, law, [Row(name, method, k) for k in budgets], 1, 1, 1, shared))
        for name, (method, budgets) in asked.items()
    }
    parts = {
        f"{what} by {cost}": _lines(found, cost, what)
        for what in ("precision", "recall")
        for cost in ("seconds", "calls")
    }
    caption = (
        "One set of 2,500 samples at every budget. Seconds are those of the machine that made this page; "
        "calls, of generator and critic and of gradients, are the same on all. OBRS is the most precise at "
        "every cost up to some eight calls a sample, beyond which DRS, DGflow and long chains come level. "
        "Other than in the thesis DGflow needs but a few steps: its rate was chosen for this model, whose "
        "critic was trained to know the generator that it moves along. "
    )
    return [Panel(side_by_side(parts, height=330), caption + MODEL_NOTE, _needed(found))]


def _needed(found: Mapping[str, Sequence[Line]]) -> list[Compared]:
    """How many calls a precision takes, in units of those of OBRS; the thesis tells of time."""
    printed = {
        "DRS": "more time than OBRS", "MH-GAN": "5 times the time of OBRS",
        "DOT": "10 times the time of OBRS", "DGflow": "100 times the time of OBRS",
    }  # fmt: skip
    base = _calls_for(found["OBRS"], WANTED)
    told = []
    for name, words in printed.items():
        calls = _calls_for(found[name], WANTED)
        most = max(line.calls for line in found[name])
        ours = (
            f"{calls / base:.1f} times the calls"
            if calls < inf
            else f"not with {most / base:.0f} times the calls"
        )
        told.append(Compared(f"for a precision of {WANTED:.0%}, {name}", words, ours))
    return told


def _calls_for(lines: Sequence[Line], precision: float) -> float:
    """Calls at which a precision is first reached, between budgets on a straight line; inf if it is not."""
    for before, after in pairwise(lines):
        low, high = before.precision.mean, after.precision.mean
        if low < precision <= high:
            return before.calls + (after.calls - before.calls) * (precision - low) / (high - low)
    return lines[0].calls if lines[0].precision.mean >= precision else inf


def _lines(found: Mapping[str, Sequence[Line]], cost: str, what: str) -> go.Figure:
    figure = go.Figure()
    for name, lines in found.items():
        figure.add_scatter(
            x=[round(getattr(line, cost), 4) for line in lines],
            y=[round(100 * getattr(line, what).mean, 3) for line in lines],
            name=name,
            mode="lines+markers",
            line={"color": COLOURS[name], "width": 2},
            marker={"size": 6},
            text=[f"K = {line.row.budget:g}" for line in lines],
            hovertemplate="%{text}: %{y:.1f} %<extra>" + name + "</extra>",
        )
    title = "seconds for 2,500 samples" if cost == "seconds" else "calls for a sample"
    ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30]
    figure.update_xaxes(
        title_text=title, type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks]
    )
    figure.update_yaxes(title_text=f"{what} (%)", range=[50, 102])
    return figure


def by_acceptance() -> Sequence[Panel]:
    """Figure 6.9: OBRS beside DRS by the share of draws that is kept."""
    from trainables.refinements.drs import Drs
    from trainables.refinements.obrs import Obrs
    from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
    from trainables.studies.refined_sets import Shared, refined_sets, settled

    model, law = Shared(gaussians25_gan()), gaussians25_law()
    found: dict[str, list[Sets]] = {}
    for name, method in (("OBRS", Obrs()), ("DRS", Drs())):
        budgets = [1 / share for share in SHARES]
        found[name] = [refined_sets(model, law, method, k, settled(model, method, k), SETS) for k in budgets]
    parts = {what: _by_share(found, what) for what in ("precision", "recall")}
    gaps = [
        float((ours.precision - other.precision).mean())
        for ours, other in zip(found["OBRS"], found["DRS"], strict=True)
    ]
    inside = [gap for share, gap in zip(SHARES, gaps, strict=True) if share < 1]
    numbers = [
        Compared(
            "OBRS is more precise than DRS",
            "at every rate",
            f"at {sum(g > 0 for g in inside)} of {len(inside)}",
        ),
        Compared("largest lead", "", f"{100 * max(inside):.1f} points"),
    ]
    caption = (
        f"{SETS} sets of 2,500 samples at every rate, mean and deviation; both methods choose among the same "
        "draws. At an acceptance of 1 both are the model as it is. The thesis has several proposals in one "
        "figure; this is the one that comes along. "
    )
    return [Panel(side_by_side(parts, height=320), caption + MODEL_NOTE, numbers)]


def _by_share(found: Mapping[str, Sequence[Sets]], what: str) -> go.Figure:
    figure = go.Figure()
    for name, every in found.items():
        values: Sequence[Tensor] = [getattr(sets, what) for sets in every]
        figure.add_scatter(
            x=[round(sets.acceptance, 4) for sets in every],
            y=[round(100 * float(value.mean()), 3) for value in values],
            error_y={
                "array": [round(100 * float(value.std()), 3) for value in values],
                "thickness": 1.1,
                "width": 3,
            },
            name=name,
            mode="lines+markers",
            line={"color": COLOURS[name], "width": 2},
            hovertemplate="%{x:.3f} kept: %{y:.2f} %<extra>" + name + "</extra>",
        )
    figure.update_xaxes(title_text="share of draws that is kept", range=[0, 1.04])
    figure.update_yaxes(title_text=f"{what} (%)", range=[50, 102])
    return figure


FIGURES = (
    Reproduction(
        "thesis-6.8", THESIS, "Figure 6.8, page 110", "What refinements give, by what they cost", by_cost
    ),
    Reproduction(
        "thesis-6.9", THESIS, "Figure 6.9, page 111", "OBRS beside DRS on a trained GAN", by_acceptance
    ),
)
