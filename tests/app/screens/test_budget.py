"""The budget page: curves that move with K, equal cost, refinements beside each other, and a sweep without any."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app.wishes import KEY
from explorer.figures.chart import Chart, Line
from tests.app.made_sweep import (
    EXPERIMENT,
    HOSTILE_SWEEP,
    MADE,
    SCRIPT,
    TWO_METHODS,
    configs,
    made,
    write_sweep,
)
from tests.app.running import html
from tests.app.scenes import own_copy, shown_screen

pytestmark = pytest.mark.usefixtures("store")


def shown(label: str = MADE, **wishes: object) -> AppTest:
    return shown_screen("budget", label, **wishes)


def test_the_slider_on_the_page_moves_every_point(store_uri: str, charts: dict[str, Chart]) -> None:
    app = shown()
    before = charts["budget"]
    assert "points at K = 1" in before.subtitle
    app.select_slider[0].set_value(2.0).run()
    assert not app.exception
    assert app.session_state[KEY][store_uri][MADE].budget == 2.0
    after = charts["budget"]
    assert "points at K = 2" in after.subtitle
    assert (before.x.low, before.x.high) == (after.x.low, after.x.high)
    assert "points at K = 2" in charts["against K"].subtitle


def test_measured_is_told_against_predicted(charts: dict[str, Chart]) -> None:
    app = shown(budget=2.0)
    text = html(app)
    assert "Measured against predicted" in text
    assert "exact ratio" in text
    assert [line for line in charts["budget"].layers if isinstance(line, Line) and line.dash == "dash"]
    rows = text.split("Measured against predicted")[1].split("</table>")[0]
    assert rows.count("K = 2") == 2  # precision and recall


def test_a_metric_of_choice_against_the_budget(charts: dict[str, Chart]) -> None:
    app = shown()
    box = next(box for box in app.selectbox if box.label == "Metric against K")
    assert box.value == "fid"
    box.set_value("coverage").run()
    assert charts["against K"].y.title == "Coverage"


def test_at_equal_cost_the_front_grows_with_the_limit(charts: dict[str, Chart]) -> None:
    app = shown(TWO_METHODS)
    slider = next(one for one in app.select_slider if one.label.startswith("At most"))
    assert slider.value == 8.0
    wide = charts["equal cost"]
    slider.set_value(1.0).run()
    assert not app.exception
    assert charts["equal cost"].title != wide.title
    text = html(app)
    assert "any of them" in text, "both methods together are compared too"
    assert "(+" in text, "more cost reaches more"


def test_every_refinement_has_a_panel_and_rows(charts: dict[str, Chart]) -> None:
    app = shown(TWO_METHODS)
    assert [panel.title for panel in charts["refinements"].panels] == ["obrs", "other"]
    rows = html(app).split("Refinement</th>")[1]
    assert rows.count("<td>obrs</td>") == 3
    assert rows.count("<td>other</td>") == 2
    assert rows.count("as it is") == 1


def test_the_selected_trial_is_ringed_and_leads_the_prediction(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    from tests.app.made_sweep import read_table

    app = shown(trial=read_table(store_uri).trials[0].id, budget=2.0)
    assert len(charts["budget"].selected) == 1
    assert "the selected configuration" in html(app)


def test_filters_that_leave_nothing_say_so(charts: dict[str, Chart]) -> None:
    app = shown(statuses=frozenset({"failed"}))
    assert "No finished trial passes the filters" in html(app)
    assert not charts


def test_a_sweep_without_a_refinement_says_how_to_have_one(
    store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path, charts: dict[str, Chart]
) -> None:
    uri = own_copy(store_uri, monkeypatch, tmp_path)
    write_sweep(uri, "plain", [made(config, ()) for config in configs((0.1, 1.0), 1)], experiment=EXPERIMENT)
    app = shown("plain")
    assert "read at K = 1 only" in html(app)
    assert "refinement: {name: obrs, budgets: [1, 1.5, 2, 4]}" in html(app)
    assert not charts


def test_hostile_trials_are_text(charts: dict[str, Chart]) -> None:
    app = shown(HOSTILE_SWEEP, budget=2.0)
    assert SCRIPT not in html(app)
