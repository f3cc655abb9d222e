"""What is shown as a table to sort, select from and take away: a row per point of the figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pandas as pd
import streamlit as st

from app import saving
from app.export import file_stem, trials_json
from app.scene import Scene
from app.style import markdown_safe
from app.wishes import wish
from explorer.figures.front_marks import Marks
from explorer.html import Markup, tag
from explorer.pareto import trials_csv
from explorer.results.columns import Columns
from explorer.results.fields import sentence_in
from explorer.results.naming import number
from explorer.results.table import TrialTable

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["listing"]

KEY = "listing"
MOST_COLUMNS = 60
"""Parameters, and metrics; the files have all."""
OWN = ("Name", "Trial", "Rank", "Seeds", "P(front)", "Reading")
"""Headings of what a row is; a column of that title is told apart by its key."""
MOST_SAVED = 200
"""Rows of a page that is saved."""
MOST_ROWS = 2_000
"""Rows that are sent to the browser, the best first; the files have all."""


def listing(scene: Scene, marks: Marks) -> None:
    """The front's points, or all of them, and downloads of the trials behind what is shown."""
    left, middle, right, last = st.columns([5, 2, 1, 1], vertical_alignment="bottom")
    left.markdown("##### Trials" if marks.seeds else "##### Configurations")
    everything = middle.toggle("Dominated too", key="listing all")
    order = np.lexsort((marks.of("precision") * -1, np.where(marks.rank < 0, len(marks), marks.rank)))
    order = order if everything else order[marks.front[order]]
    hidden_rows = len(order) - MOST_ROWS
    order = order[:MOST_ROWS]
    frame, told, hidden = _frame(marks, order, everything, scene)
    saving.keep(partial(_html, frame), "listing")
    identities = [marks.columns.ids[row] for row in marks.row[order]]
    # Streamlit remembers the row that was clicked, not its trial: other rows, other widget.
    key = f"{KEY} {crc32(' '.join(identities).encode())}"
    st.container(key=KEY).dataframe(
        frame,
        key=key,
        hide_index=True,
        column_config=told,
        on_select=lambda: _take(scene.label, key, identities),
        selection_mode="single-row",
        height=min(38 + 35 * max(len(identities), 1), 380),
    )
    if hidden_rows > 0:
        st.caption(f"The best {MOST_ROWS:,}; {hidden_rows:,} more rows are in the files.")
    if hidden:
        st.caption(f"{hidden:,} more columns are in the files.")
    _files(scene, right, last)


def _frame(
    marks: Marks, order: np.ndarray, everything: bool, scene: Scene
) -> tuple[pd.DataFrame, dict[str, Any], int]:
    """The table, how its columns are shown, and how many columns it has not."""
    columns, at = marks.columns, scene.at
    rows = marks.row[order]
    paths = [path for path in columns.varying if marks.seeds or path != "seed"]
    metrics = columns.metric_names(at)
    hidden = len(paths[MOST_COLUMNS:]) + len(metrics[MOST_COLUMNS:])
    paths, metrics = paths[:MOST_COLUMNS], metrics[:MOST_COLUMNS]
    heads = _headings(columns.table, [*paths, *metrics])
    names = marks.names()
    cells: dict[str, Any] = {"Name": [names[i] for i in order], "Trial": [columns.ids[row] for row in rows]}
    if everything:
        cells["Rank"] = np.where(marks.rank[order] < 0, np.nan, marks.rank[order])
    if not marks.seeds:
        cells["Seeds"] = marks.count[order]
        if np.isfinite(marks.chance).any():
            cells["P(front)"] = marks.chance[order]
    if len(marks.ats) > 1:
        words = [columns.reading_words(at) for at in marks.ats]
        cells["Reading"] = [words[i] for i in marks.reading[order]]
    cells |= {heads[metric]: marks.of(metric)[order] for metric in metrics}
    cells |= {heads[path]: _cells(columns, path, rows) for path in paths}
    frame = pd.DataFrame(cells).dropna(axis="columns", how="all")
    told: dict[str, Any] = {
        heads[m]: st.column_config.NumberColumn(format="%.4g", help=_hint(sentence_in(columns, m)))
        for m in metrics
    }
    told |= {heads[p]: st.column_config.Column(help=_hint(sentence_in(columns, p))) for p in paths}
    told["Name"] = st.column_config.TextColumn(pinned=True)
    told["P(front)"] = st.column_config.NumberColumn(
        format="percent", help="How often it is on the front of means when its seeds are drawn again."
    )
    return frame, told, hidden


def _html(frame: pd.DataFrame) -> Markup:
    """The table for a page that is saved, its first rows."""
    head = tag("tr", *(tag("th", str(name)) for name in frame.columns))
    cells = frame.head(MOST_SAVED).itertuples(index=False)
    rows = [tag("tr", *(tag("td", _text(value)) for value in row)) for row in cells]
    hidden = len(frame) - len(rows)
    note = tag("p", f"{hidden:,} more rows were on the page.", class_="tx-hash") if hidden > 0 else ""
    return tag("div", tag("table", head, *rows, class_="tx-table"), note)


def _text(value: object) -> str:
    if isinstance(value, int | float | np.number):
        return number(float(value), 4)
    return "–" if value is None else str(value)


def _hint(text: str) -> str | None:
    return markdown_safe(text, 400) or None


def _files(scene: Scene, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Both files, made when they are asked for: a page that follows a sweep would else make them at every look, and its
    browser ask for those of the look before, which are gone."""
    stem = file_stem(scene.label)
    shown: dict[str, Any] = {"on_click": "ignore", "width": "stretch"}
    made_csv, made_json = partial(_csv, scene), partial(_json, scene)
    left.download_button("CSV", made_csv, f"{stem}.csv", "text/csv", key="csv", **shown)
    right.download_button("JSON", made_json, f"{stem}.json", "application/json", key="json", **shown)


def _shown(scene: Scene) -> TrialTable:
    return replace(scene.columns.table, trials=tuple(scene.columns.rows(scene.shown)))


def _csv(scene: Scene) -> str:
    return trials_csv(_shown(scene))


def _json(scene: Scene) -> str:
    return trials_json(_shown(scene), scene.at)


def _headings(table: TrialTable, names: Sequence[str]) -> dict[str, str]:
    """A heading per column; where two have one title, the key tells them apart."""
    titles = Counter([*OWN, *(table.title(name) for name in names)])
    return {n: t if titles[t := table.title(n)] == 1 else f"{t} ({n})" for n in names}


def _cells(columns: Columns, path: str, rows: np.ndarray) -> Any:
    """A column of numbers stays one, so that the table sorts them; any other is text throughout."""
    if columns.is_numeric(path):
        return columns.numbers(path)[rows]
    words = columns.words(path)
    return [None if code < 0 else words.words[code] for code in words.codes[rows]]


def _take(sweep: str, key: str, identities: list[str]) -> None:
    """The clicked row's trial becomes the selected one."""
    event: Any = st.session_state.get(key)
    for row in event.selection.rows if event else ():
        if 0 <= row < len(identities):
            wish(sweep, trial=identities[row])
