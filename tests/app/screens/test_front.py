"""The front page: figure, table and trial speak of the same points."""

from __future__ import annotations

import pytest

from explorer.pareto import rank
from explorer.results.table import TrialTable
from tests.app.made_sweep import ELSEWHERE, MADE
from tests.app.running import charts, html, layers, places, query, run_page

pytestmark = pytest.mark.usefixtures("store")


def test_points_equal_the_table(table: TrialTable) -> None:
    app = run_page(sweep=MADE, seeds="1")
    found = places(charts(app)["front"])
    assert found == {t.id: (t.metrics["recall"], t.metrics["precision"]) for t in table.finished()}
    app.toggle(key="listing all").set_value(True).run()
    frame = app.dataframe[0].value.set_index("Trial")
    assert {i: (row["Recall"], row["Precision"]) for i, row in frame.iterrows()} == found
    (full,) = [
        layer
        for layer in layers(charts(app)["front"], "points")
        if layer["opacity"] == 1 and len(layer["x"]) > 1
    ]
    keys = charts(app)["front"]["keys"]
    assert {keys[key] for key in full["key"]} == rank(table).front


def test_a_budget_moves_the_points_and_not_the_scales() -> None:
    before = charts(run_page(sweep=MADE))["front"]
    after = charts(run_page(sweep=MADE, k="4"))["front"]
    assert {key: before[key] for key in ("x", "y")} == {key: after[key] for key in ("x", "y")}
    assert before["colour"] == after["colour"]
    assert not set(places(before).values()) & set(places(after).values())


def test_a_brush_narrows_the_table_and_keeps_the_figure() -> None:
    app = run_page(sweep=MADE, brush="box:0,0;0.5,1")
    app.toggle(key="listing all").set_value(True).run()
    frame = app.dataframe[0].value
    assert 0 < len(frame) < 9
    assert (frame["Recall"] <= 0.5).all()
    chart = charts(app)["front"]
    assert len(places(chart)) == 9
    assert chart["brush"] == {"kind": "box", "x": [0.0, 0.5], "y": [0.0, 1.0]}
    app.button(key="unbrush").click().run()
    assert "brush" not in query(app)
    assert charts(app)["front"]["brush"] is None


def test_a_pick_and_a_preference_select() -> None:
    app = run_page(sweep=MADE)
    app.button(key="pick Sharpest").click().run()
    sharpest = query(app)["trial"][0]
    chart = charts(app)["front"]
    (ringed,) = chart["selected"]
    highest = max(places(chart).items(), key=lambda place: place[1][1])
    assert ringed == highest[0]
    assert sharpest in html(app)
    slider = next(s for s in app.slider if s.label == "From quality to diversity")
    slider.set_value(1.0).run()
    assert query(app)["preference"] == ["1.0"]
    assert "trial" not in query(app), "the preference points now"
    (ringed,) = charts(app)["front"]["selected"]
    assert ringed == max(places(chart).items(), key=lambda place: place[1][0])[0]


def test_other_sweeps_are_shown_beside() -> None:
    app = run_page(sweep=MADE, beside=[ELSEWHERE])
    chart = charts(app)["front"]
    assert chart["colour"]["words"] == [MADE, ELSEWHERE]
    assert any(key.startswith(f"{ELSEWHERE}/") for key in chart["keys"])


def test_hover_cards_have_pictures_of_the_fronts_trials() -> None:
    chart = charts(run_page(sweep=MADE))["front"]
    assert chart["thumbs"]
    assert set(chart["thumbs"]) <= set(chart["keys"])
    assert all(address.startswith("data:image/png;base64,") for address in chart["thumbs"].values())


def test_bands_lines_and_paths_are_drawn_on_demand() -> None:
    chart = charts(run_page(sweep=MADE, attained="1", iso="1", paths="1"))["front"]
    names = {layer.get("name") for layer in chart["layers"]}
    assert {"25 % to 75 % of seeds", "Reached by half the seeds", "As K grows"} <= names
    assert layers(chart, "text")
    plain = {layer.get("name") for layer in charts(run_page(sweep=MADE))["front"]["layers"]}
    assert not {"25 % to 75 % of seeds", "As K grows"} & plain
