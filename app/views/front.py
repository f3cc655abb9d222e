"""The front as the page's centre: click a point, see its trial."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.style import PLOT_CONFIG, palette
from app.wishes import wish
from explorer.figures import FrontView, front_figure, themed
from explorer.pareto import Ranking
from explorer.results.table import TrialTable

__all__ = ["front_view"]

KEY = "front"


def front_view(table: TrialTable, ranking: Ranking, view: FrontView) -> None:
    """The figure of the front."""
    figure = themed(front_figure(table, ranking.ranks, view), palette())
    st.plotly_chart(
        figure,
        theme=None,
        key=KEY,
        on_select=lambda: _take(table.sweep),
        selection_mode="points",
        config=PLOT_CONFIG,
    )


def _take(sweep: str) -> None:
    """The clicked point's trial becomes the selected one."""
    event: Any = st.session_state.get(KEY)
    for point in event.selection.points if event else ():
        data = point.get("customdata")
        identity = data[0] if isinstance(data, list | tuple) and data else None
        if isinstance(identity, str):
            wish(sweep, trial=identity)
            return
