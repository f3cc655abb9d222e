"""The figure of the front shows the view, and a click on a point selects its trial."""

from __future__ import annotations

import pytest

from explorer.figures import FrontView
from explorer.pareto import rank
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import TWO_METHODS, read_table
from tests.app.running import figures, points, run_part


def drawn(table: TrialTable, view: FrontView, at: At = PLAIN) -> dict:
    def draw(table, ranking, view) -> None:
        from app.views.front import front_view

        front_view(table, ranking, view)

    return figures(run_part(draw, table=table, ranking=rank(table, at), view=view))["front"]


def test_the_figure_follows_the_view(table: TrialTable) -> None:
    shown = table.finished()
    at = At("obrs", 4.0)
    view = FrontView(x="coverage", y="density", colour="objective.name", at=at, dominated=False)
    figure = drawn(shown, view, at)
    assert points(figure) == rank(shown, at).front
    assert figure["layout"]["xaxis"]["title"]["text"] == "Coverage →"
    assert figure["layout"]["yaxis"]["title"]["text"] == "Density →"
    assert figure["layout"]["legend"]["title"]["text"] == "objective.name"
    assert "K = 4" in figure["layout"]["title"]["subtitle"]["text"]


@pytest.mark.parametrize(
    ("method", "budgets"), [(None, (1.5, 2.0, 4.0)), ("obrs", (1.5, 2.0, 4.0)), ("other", (2.0, 3.0))]
)
def test_the_selected_trials_path_is_that_of_the_method(
    store_uri: str, method: str | None, budgets: tuple[float, ...]
) -> None:
    table = read_table(store_uri, TWO_METHODS)
    trial = table.trials[0]
    figure = drawn(table, FrontView(selected=trial.id, method=method))
    path = next(t for t in figure["data"] if t.get("name") == "path in K")
    steps = [PLAIN, *(At(method or "obrs", k) for k in budgets)]
    assert path["x"] == [trial.readings[at]["recall"] for at in steps]


@pytest.mark.parametrize(
    ("clicked", "chosen"),
    [
        ([{"customdata": ["abc"]}], "abc"),
        ([{}, {"customdata": ["abc"]}], "abc"),
        ([{"customdata": [3]}], None),
    ],
)
def test_a_click_selects_the_points_trial(clicked: list, chosen: str | None) -> None:
    def draw(clicked) -> None:
        from types import SimpleNamespace

        import streamlit as st

        from app.views.front import KEY, _take
        from app.wishes import wished

        st.session_state[KEY] = SimpleNamespace(selection=SimpleNamespace(points=clicked))
        _take("made")
        st.text(str(wished("made").trial))

    assert run_part(draw, clicked=clicked).text[0].value == str(chosen)
