"""The head of the page: name, choice of sweep, headline numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from app import reading
from app.controls import begin_at
from app.style import card, cards, chip
from explorer.html import tag
from explorer.pareto import Ranking
from explorer.results.audit import LambdaAudit
from explorer.results.naming import number
from explorer.results.sentences import audit_numbers
from explorer.results.store import SweepInfo
from explorer.results.table import TrialTable

__all__ = ["choose_sweep", "headline"]


def choose_sweep(sweeps: Mapping[str, SweepInfo], wanted: str | None) -> str:
    """Title and chooser; the label of the sweep chosen."""
    labels = list(sweeps)
    left, middle, right = st.columns([6, 3, 0.6], vertical_alignment="bottom")
    chosen: str = middle.selectbox("Sweep", labels, begin_at(labels, wanted), key="sweep")
    right.button(
        "", icon=":material/refresh:", help="Read the store again", on_click=reading.forget, key="refresh"
    )
    info = sweeps[chosen]
    lead = info.description or f"{info.trials} trials, {info.status}"
    live = [chip("running", "live")] if info.status == "running" else []
    title = tag("h1", "Tradeoff Explorer", *live, class_="tx-title")
    left.html(tag("div", title, tag("p", lead, class_="tx-lead")))
    return chosen


def headline(whole: TrialTable, shown: TrialTable, ranking: Ranking, audit: LambdaAudit) -> None:
    """Headline numbers: trials, front, hypervolume, λ audit, and the best of what is to be small, such as FID."""
    at = whole.words(ranking.at)
    best = shown.best_small(ranking.at)
    notes = [f"of {len(whole)}" if len(shown) != len(whole) else "all shown"]
    counts = Counter(t.status for t in whole)
    notes += [f"{counts[status]} {status}" for status in ("failed", "running") if counts[status]]
    front = len(ranking.front)
    share = f"{front / len(shown):.0%} of those shown" if len(shown) else ""
    items = [
        card("Trials", str(len(shown)), ", ".join(notes)),
        card("On the front", str(front), share),
        card(
            "Hypervolume",
            number(ranking.hypervolume),
            ranking.unmeasured or f"{len(whole.goals)} objectives, {at}",
        ),
        card("λ audit", *audit_numbers(audit)),
        *([card(f"Best {best[0]}", number(best[1]), f"at {at}")] if best else []),
    ]
    st.html(cards(items))
