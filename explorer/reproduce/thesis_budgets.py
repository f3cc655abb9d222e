"""Figures 6.1 to 6.6 of the thesis: rejection on the line, with all proposals one wants and at a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import lines, pr_curves, target_trace
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.precision_recall import PRCurve
    from trainables.rejection import Refined
    from trainables.studies import Pair

__all__ = [
    "BUDGETS",
    "FIGURES",
    "bounds",
    "discriminator_rejection",
    "divergences_by_budget",
    "obrs_beside_drs",
    "plain_rejection",
    "refined_curves",
]

BUDGETS = np.linspace(1.0, 14.0, 53)
SHOWN = (-14.0, 11.0)
"""The part of the line that is drawn; beyond it is less than 2% of any law."""

DRS_COLOUR, OBRS_COLOUR, PROPOSAL = CATEGORIES[1], CATEGORIES[0], CATEGORIES[6]
DIVERGENCES = {"TV": "tv", "KL": "kl", "reverse KL": "reverse_kl"}
TENS = [0.0001, 0.001, 0.01, 0.1, 1, 10]
PRINTED_GAMMA = {4.0: "-1.7", 2.0: "-3.6"}


def plain_rejection() -> Sequence[Panel]:
    """Figure 6.1: p/M below p̂ for two proposals; the shaded share of p̂ is what is kept."""
    from trainables.rejection import refine_plain
    from trainables.studies import covering_pair, narrower_pair

    pairs = {"covers both modes": covering_pair(), "narrower on the right": narrower_pair()}
    kept = {title: refine_plain(pair.p, pair.q) for title, pair in pairs.items()}
    laws = {
        f"{title}: M = {1 / kept[title].rate:.1f}, {kept[title].rate:.1%} kept": _laws(
            pair, {}, kept[title].acceptance * pair.q
        )
        for title, pair in pairs.items()
    }
    caption = (
        "Plain rejection keeps a proposal with probability p/(M p̂), M = sup p/p̂. The green area, p/M, is the share "
        "1/M of the area under p̂ that is kept. A proposal that is narrower on the right alone raises M sixfold. "
    )
    numbers = [
        Compared(f"acceptance, proposal that {title}", printed, f"{kept[key].rate:.1%}")
        for title, key, printed in (
            ("covers both modes", "covers both modes", "45%"),
            ("is narrower on the right", "narrower on the right", "8%"),
        )
    ]
    return [Panel(side_by_side(laws), caption + _law_note(), numbers)]


def discriminator_rejection() -> Sequence[Panel]:
    """Figure 6.2: DRS at two values of γ, its acceptance function and its law."""
    from trainables.rejection import refine_drs, refine_plain
    from trainables.studies import narrower_pair

    pair = narrower_pair()
    parts, numbers = {}, []
    for budget, printed in PRINTED_GAMMA.items():
        drs = refine_drs(pair.p, pair.q, budget)
        title = f"γ = {drs.constant:.2f}, {drs.rate:.0%} kept"
        plain = refine_plain(pair.p, pair.q)
        parts[f"{title}: acceptance"] = _acceptances(pair, {"DRS": drs, "plain rejection": plain})
        parts[f"{title}: law"] = _laws(pair, {"DRS": drs})
        numbers.append(Compared(f"γ at which {1 / budget:.0%} are kept", printed, f"{drs.constant:.2f}"))
    caption = (
        "Discriminator rejection keeps with probability r/(r(1-e^γ) + M e^γ), r = p/p̂: the lower γ, the more is "
        "kept and the nearer the law stays to the proposal. "
    )
    return [Panel(side_by_side(parts, height=270), caption + _law_note(one=True), numbers)]


def obrs_beside_drs() -> Sequence[Panel]:
    """Figure 6.3: OBRS and DRS at K = 4 and K = 2."""
    from trainables.divergences import DIVERGENCES as FAMILY
    from trainables.rejection import refine_drs, refine_obrs
    from trainables.studies import narrower_pair

    pair, tv = narrower_pair(), FAMILY["tv"]
    panels = []
    for letter, budget in zip("ab", PRINTED_GAMMA, strict=True):
        both = {"DRS": refine_drs(pair.p, pair.q, budget), "OBRS": refine_obrs(pair.p, pair.q, budget)}
        far = {name: float(tv.discrete(pair.p, refined.law)) for name, refined in both.items()}
        parts = {
            f"K = {budget:g}: acceptance": _acceptances(pair, both),
            f"K = {budget:g}: laws": _laws(pair, both),
        }
        caption = (
            f"({letter}) K = {budget:g}, {1 / budget:.0%} kept. OBRS clips a multiple of the ratio at 1; DRS bends "
            f"it. The law of OBRS is nearer to P: total variation {far['OBRS']:.3f} against {far['DRS']:.3f} of DRS "
            f"(γ = {both['DRS'].constant:.2f}, printed {PRINTED_GAMMA[budget]}). "
        )
        panels.append(Panel(side_by_side(parts), caption + (_law_note(one=True) if letter == "a" else "")))
    return panels


def divergences_by_budget() -> Sequence[Panel]:
    """Figure 6.4: TV, KL and reverse KL of the refined laws over the budget."""
    from trainables.divergences import DIVERGENCES as FAMILY
    from trainables.rejection import refine_drs, refine_obrs
    from trainables.studies import narrower_pair, refined_laws

    pair = narrower_pair()
    methods = {"OBRS": refine_obrs, "DRS": refine_drs}
    laws = {method: refined_laws(pair, BUDGETS.tolist(), refine) for method, refine in methods.items()}
    parts = {}
    for title, name in DIVERGENCES.items():
        curves = {method: FAMILY[name].discrete(pair.p, law).numpy() for method, law in laws.items()}
        parts[title] = lines(BUDGETS, curves, "budget K", "")
        parts[title].update_xaxes(range=[1, 10], tickvals=[1, 2, 4, 6, 8, 10])
        parts[title].update_yaxes(
            type="log", range=[-4, 1], tickvals=TENS, ticktext=[f"{ten:g}" for ten in TENS]
        )
    caption = (
        "The divergence of the refined law from P over the budget, on a logarithmic axis. OBRS lies below DRS at "
        "every budget and under every divergence; both reach 0 at K = M = 13, where plain rejection is affordable."
    )
    return [Panel(side_by_side(parts, columns=3, spacing=0.07), caption)]


def bounds() -> Sequence[Panel]:
    """Figure 6.5: what OBRS achieves, and what theorem 6.2.2 promises."""
    from trainables.divergences import DIVERGENCES as FAMILY
    from trainables.rejection import guaranteed_improvement, largest_ratio, refine_obrs
    from trainables.studies import narrower_pair, refined_laws

    pair = narrower_pair()
    laws = refined_laws(pair, BUDGETS.tolist(), refine_obrs)
    largest = largest_ratio(pair.p, pair.q)
    printed = 1 - np.minimum(1.0, (BUDGETS - 1) / largest)
    sharper = 1 - np.array([guaranteed_improvement(pair.p, pair.q, float(k)) for k in BUDGETS])
    parts = {}
    for title, name in DIVERGENCES.items():
        values = FAMILY[name].discrete(pair.p, laws).numpy()
        curves = {
            "OBRS": values,
            "bound, as printed": values[0] * printed,
            "bound, sharper": values[0] * sharper,
        }
        parts[title] = lines(BUDGETS, curves, "budget K", "")
    caption = (
        "D_f(P‖P̃) ≤ (1-γ) D_f(P‖P̂), with γ = min(1, (K-1)/M) as printed, and (K-1)/(M-1), which the proof allows "
        "too and which reaches 0 where OBRS does, at K = M. Being one line for every divergence, the bound is far from "
        "what OBRS achieves."
    )
    return [Panel(side_by_side(parts, columns=3, spacing=0.07), caption)]


def refined_curves() -> Sequence[Panel]:
    """Figure 6.6: the PR curves of the proposal and of its refinements at K = 2, and the stretching."""
    from trainables.precision_recall import curve_density, equiangular_grid
    from trainables.rejection import refine_drs, refine_obrs, refine_plain
    from trainables.studies import narrower_pair

    pair, budget = narrower_pair(), 2.0
    grid = equiangular_grid(401)

    def curve(law: Tensor) -> PRCurve:
        return curve_density(pair.p, law, 1.0, grid)

    obrs = refine_obrs(pair.p, pair.q, budget)
    laws = {
        "proposal": pair.q,
        "OBRS, K = 2": obrs.law,
        "DRS, K = 2": refine_drs(pair.p, pair.q, budget).law,
        "plain rejection": refine_plain(pair.p, pair.q).law,
    }
    curves = {name: curve(law) for name, law in laws.items()}
    left = pr_curves({name: _points(found) for name, found in curves.items()}, dashed=["proposal"])
    _colour(left, {"proposal": PROPOSAL, "OBRS, K = 2": OBRS_COLOUR, "DRS, K = 2": DRS_COLOUR})
    right = _stretching(curves["proposal"], budget)
    bend = budget * float(np.exp(obrs.constant))
    caption = (
        "Left: OBRS lies outside the proposal and DRS at every trade-off; plain rejection gives P itself, at M = 13 "
        "proposals a sample. Right: the curve of OBRS is that of the proposal stretched twice in precision at equal "
        "recall (thin lines), α′ = min(1, 2α), which is 1 from λ = K c_K/M on, here "
        f"{bend:.2f}. The thesis calls the stretching vertical; with precision across, as it draws its other curves, "
        "it is horizontal."
    )
    parts = {"laws of figure 6.3b": left, "stretched by K = 2": right}
    return [Panel(side_by_side(parts, height=380), caption)]


def _stretching(proposal: PRCurve, budget: float) -> go.Figure:
    stretched = proposal.stretched(budget)
    figure = pr_curves(
        {"proposal": _points(proposal), "OBRS, K = 2": _points(stretched)}, dashed=["proposal"]
    )
    _colour(figure, {"proposal": PROPOSAL, "OBRS, K = 2": OBRS_COLOUR})
    for level in (0.2, 0.4, 0.6, 0.8):
        i = int(np.abs(proposal.recall - level).argmin())
        figure.add_scatter(
            x=[round(float(proposal.precision[i]), 5), round(float(stretched.precision[i]), 5)],
            y=[round(float(proposal.recall[i]), 5)] * 2,
            mode="lines+markers",
            showlegend=False,
            line={"color": CATEGORIES[5], "width": 1.2},
            marker={
                "symbol": ["circle", "arrow"],
                "size": [5, 9],
                "angleref": "previous",
                "line": {"width": 0},
            },
            hoverinfo="skip",
        )
    return figure


def _points(curve: PRCurve) -> tuple[np.ndarray, np.ndarray]:
    return curve.precision, curve.recall


def _laws(pair: Pair, refined: Mapping[str, Refined], kept: Tensor | None = None) -> go.Figure:
    """Target filled, proposal dashed, refined laws as lines; ``kept`` is a part of the proposal to be shaded."""
    shown = (pair.line.x > SHOWN[0]) & (pair.line.x < SHOWN[1])
    x = pair.line.x[shown].numpy()[::4]

    def y(masses: Tensor) -> np.ndarray:
        return pair.density(masses)[shown].numpy()[::4]

    figure = go.Figure(target_trace(x, y(pair.p)))
    curves = {"proposal": y(pair.q), **{name: y(one.law) for name, one in refined.items()}}
    for name, values in curves.items():
        figure.add_scatter(x=x.round(4), y=values.round(6), name=name, mode="lines", line={"width": 2.2})
    figure.update_traces(selector={"name": "proposal"}, line={"dash": "dash"})
    if kept is not None:
        figure.add_scatter(
            x=x.round(4),
            y=y(kept).round(6),
            name="kept: p/M",
            mode="lines",
            line={"color": CATEGORIES[2], "width": 1.2},
            fill="tozeroy",
            fillcolor="rgba(0, 158, 115, 0.45)",
        )
    _colour(figure, {"proposal": PROPOSAL, "DRS": DRS_COLOUR, "OBRS": OBRS_COLOUR})
    figure.update_xaxes(title_text="x", range=list(SHOWN))
    figure.update_yaxes(title_text="density", rangemode="tozero")
    return figure


def _acceptances(pair: Pair, refined: Mapping[str, Refined]) -> go.Figure:
    shown = (pair.line.x > SHOWN[0]) & (pair.line.x < SHOWN[1])
    x = pair.line.x[shown].numpy()[::4]
    curves = {name: one.acceptance[shown].numpy()[::4] for name, one in refined.items()}
    figure = lines(x, curves, "x", "acceptance a(x)", (-0.03, 1.05))
    _colour(figure, {"DRS": DRS_COLOUR, "OBRS": OBRS_COLOUR, "plain rejection": CATEGORIES[2]})
    figure.update_xaxes(range=list(SHOWN))
    return figure


def _colour(figure: go.Figure, colours: Mapping[str, str]) -> None:
    for name, colour in colours.items():
        figure.update_traces(selector={"name": name}, line={"color": colour})


def _law_note(one: bool = False) -> str:
    from trainables.studies import EXAMPLE_WORDS

    right = "2.5 to the right, as in figure 6.1c" if one else "4.1 or 2.5 to the right"
    return f"{EXAMPLE_WORDS} and of σ = {right}. The thesis prints no parameters; these give the shares that it prints."


FIGURES = (
    Reproduction(
        "thesis-6.1",
        THESIS,
        "Figure 6.1, page 98",
        "A slightly narrower proposal, and most is rejected",
        plain_rejection,
    ),
    Reproduction(
        "thesis-6.2",
        THESIS,
        "Figure 6.2, page 99",
        "Discriminator rejection at two γ",
        discriminator_rejection,
    ),
    Reproduction(
        "thesis-6.3",
        THESIS,
        "Figure 6.3, page 104",
        "Optimal beside discriminator rejection",
        obrs_beside_drs,
    ),
    Reproduction(
        "thesis-6.4",
        THESIS,
        "Figure 6.4, page 105",
        "What a budget buys under three divergences",
        divergences_by_budget,
    ),
    Reproduction("thesis-6.5", THESIS, "Figure 6.5, page 107", "What a budget is promised to buy", bounds),
    Reproduction(
        "thesis-6.6",
        THESIS,
        "Figure 6.6, page 108",
        "Rejection stretches the curve in precision",
        refined_curves,
    ),
)
