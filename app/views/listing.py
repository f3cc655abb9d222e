"""Trials as a table to sort, select from and take away."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app.export import file_stem, trials_csv, trials_json
from app.selection import choose
from app.view import View
from explorer.figures import plain, title_of
from explorer.pareto import Ranking
from explorer.results.table import TrialTable

__all__ = ["listing"]

KEY = "listing"


def listing(table: TrialTable, ranking: Ranking, view: View) -> None:
    """The front's trials, or all of them, and downloads of what is shown."""
    ranks = ranking.ranks
    left, middle, right, last = st.columns([5, 2, 1, 1], vertical_alignment="bottom")
    left.markdown("##### Trials on the front")
    everything = middle.toggle("Dominated too", key="listing all")
    rows = [t for t in table if everything or ranks.get(t.id) == 0]
    rows.sort(key=lambda t: (ranks.get(t.id, len(table)), -t.at_budget(view.budget).get("precision", 0.0)))
    varying = table.varying()
    metrics = list(dict.fromkeys([*table.metric_names(), "acceptance"]))
    frame = pd.DataFrame(
        [
            {
                "Trial": t.id,
                **({"Rank": ranks.get(t.id)} if everything else {}),
                **{title_of(p): _cell(t.params.get(p)) for p in varying},
                **{title_of(m): t.at_budget(view.budget).get(m) for m in metrics},
            }
            for t in rows
        ]
    ).dropna(axis="columns", how="all")
    numbers = {title_of(m): st.column_config.NumberColumn(format="%.4g") for m in metrics}
    st.dataframe(
        frame,
        key=KEY,
        hide_index=True,
        column_config=numbers,
        on_select=lambda: _take(table.sweep, [t.id for t in rows]),
        selection_mode="single-row",
        height=min(38 + 35 * max(len(rows), 1), 380),
    )
    stem = file_stem(table.sweep)
    right.download_button(
        "CSV", trials_csv(table, ranking), f"{stem}.csv", "text/csv", key="csv", width="stretch"
    )
    last.download_button(
        "JSON",
        trials_json(table, ranking.budget),
        f"{stem}.json",
        "application/json",
        key="json",
        width="stretch",
    )


def _cell(value: object) -> object:
    """Numbers stay numbers so that the table sorts them; the rest is text."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    return plain(value if isinstance(value, bool) else str(value))


def _take(sweep: str, identities: list[str]) -> None:
    """The clicked row's trial becomes the selected one."""
    event: Any = st.session_state.get(KEY)
    for row in event.selection.rows if event else ():
        if 0 <= row < len(identities):
            choose(sweep, identities[row])
