"""Trials as a table to sort, select from and take away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pandas as pd
import streamlit as st

from app.export import file_stem, trials_json
from app.wishes import wish
from explorer.pareto import Ranking, trials_csv
from explorer.results.naming import plain
from explorer.results.table import Scalar, TrialTable

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["listing"]

KEY = "listing"
MOST_COLUMNS = 60
"""Parameters, and metrics; the files have all."""


def listing(table: TrialTable, ranking: Ranking) -> None:
    """The front's trials, or all of them, and downloads of what is shown."""
    ranks = ranking.ranks
    left, middle, right, last = st.columns([5, 2, 1, 1], vertical_alignment="bottom")
    left.markdown("##### Trials on the front")
    everything = middle.toggle("Dominated too", key="listing all")
    rows = [t for t in table if everything or ranks.get(t.id) == 0]
    rows.sort(key=lambda t: (ranks.get(t.id, len(table)), -t.at(ranking.at).get("precision", 0.0)))
    every = table.varying(), table.metric_names(ranking.at)
    varying, metrics = (names[:MOST_COLUMNS] for names in every)
    heads = _headings(table, [*varying, *metrics])
    frame = pd.DataFrame(
        {
            "Trial": [t.id for t in rows],
            **({"Rank": [ranks.get(t.id) for t in rows]} if everything else {}),
            **{heads[p]: _cells([t.params.get(p) for t in rows]) for p in varying},
            **{heads[m]: [t.at(ranking.at).get(m) for t in rows] for m in metrics},
        }
    ).dropna(axis="columns", how="all")
    numbers = {heads[m]: st.column_config.NumberColumn(format="%.4g") for m in metrics}
    identities = [t.id for t in rows]
    # Streamlit remembers the row that was clicked, not its trial: other rows, other widget.
    key = f"{KEY} {crc32(' '.join(identities).encode())}"
    st.container(key=KEY).dataframe(
        frame,
        key=key,
        hide_index=True,
        column_config=numbers,
        on_select=lambda: _take(table.sweep, key, identities),
        selection_mode="single-row",
        height=min(38 + 35 * max(len(rows), 1), 380),
    )
    if hidden := sum(len(names[MOST_COLUMNS:]) for names in every):
        st.caption(f"{hidden:,} more columns are in the files.")
    _files(table, ranking, right, last)


def _files(table: TrialTable, ranking: Ranking, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Both files, made when they are asked for: a page that follows a sweep would else make them at every look, and its
    browser ask for those of the look before, which are gone."""
    stem = file_stem(table.sweep)
    shown: dict[str, Any] = {"on_click": "ignore", "width": "stretch"}
    left.download_button("CSV", partial(trials_csv, table), f"{stem}.csv", "text/csv", key="csv", **shown)
    made = partial(trials_json, table, ranking.at)
    right.download_button("JSON", made, f"{stem}.json", "application/json", key="json", **shown)


def _headings(table: TrialTable, names: Sequence[str]) -> dict[str, str]:
    """A heading per column; where two have one title, the key tells them apart."""
    titles = Counter(table.title(name) for name in names)
    return {n: t if titles[t := table.title(n)] == 1 else f"{t} ({n})" for n in names}


def _cells(values: Sequence[Scalar]) -> Sequence[Scalar]:
    """A column of numbers stays one, so that the table sorts them; any other is text throughout."""
    present = [value for value in values if value is not None]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in present):
        return values
    return [None if value is None else plain(value) for value in values]


def _take(sweep: str, key: str, identities: list[str]) -> None:
    """The clicked row's trial becomes the selected one."""
    event: Any = st.session_state.get(key)
    for row in event.selection.rows if event else ():
        if 0 <= row < len(identities):
            wish(sweep, trial=identities[row])
