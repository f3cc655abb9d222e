"""The controls describe a view: what they offer is what the sweep has at the reading chosen."""

from __future__ import annotations

import re

import pytest

from tests.app.made_sweep import HOSTILE_KEY, HOSTILE_SWEEP, HOSTILE_TITLE, MADE, NEWER, SPARKLE, TWO_METHODS
from tests.app.running import charts, layers, options, places, query, run_page

pytestmark = pytest.mark.usefixtures("store")


def key(name: str, sweep: str = MADE) -> str:
    return f"{sweep}|{name}"


def test_diagnostics_are_axes_at_k_1_and_not_beyond() -> None:
    app = run_page(sweep=MADE)
    for label in ("Horizontal", "Vertical", "Colour"):
        assert {"Critic loss", "Training time"} <= set(options(app, label))
    app.selectbox(key=key("x")).select("critic_loss").run()
    assert charts(app)["front"]["x"]["title"] == "Critic loss"
    assert query(app)["x"] == ["critic_loss"]
    app.select_slider(key=key("budget")).set_value(2.0).run()
    assert not app.exception
    for label in ("Horizontal", "Vertical", "Colour"):
        assert not {"Critic loss", "Training time"} & set(options(app, label))
        assert "Draws per sample" in options(app, label)
    assert charts(app)["front"]["x"]["title"].startswith("Recall")
    assert "x" not in query(app)


def test_a_single_method_needs_no_chooser() -> None:
    app = run_page(sweep=MADE)
    assert "Refinement" not in {box.label for box in app.selectbox}
    assert "method" not in query(app)


def test_two_methods_have_a_chooser_which_changes_the_figure() -> None:
    app = run_page(sweep=TWO_METHODS, k="2", seeds="1")
    chooser = app.selectbox(key=key("method", TWO_METHODS))
    assert (chooser.label, list(chooser.options), chooser.value) == ("Refinement", ["obrs", "other"], "obrs")
    before = charts(app)["front"]
    chooser.select("other").run()
    assert not app.exception
    after = charts(app)["front"]
    assert set(places(before)) == set(places(after))
    assert places(before) != places(after)
    assert "K = 2, other" in after["subtitle"]
    assert query(app)["method"] == ["other"]
    assert query(app)["k"] == ["2"]
    slider = app.select_slider(key=key("budget", TWO_METHODS))
    assert list(slider.options) == ["1", "2", "3"]


def test_a_budget_that_the_other_method_lacks_gives_way() -> None:
    app = run_page(sweep=TWO_METHODS, k="4")
    app.selectbox(key=key("method", TWO_METHODS)).select("other").run()
    assert not app.exception
    (budget,) = (widget for widget in app.select_slider if widget.label == "Rejection budget K")
    assert budget.value == 1.0
    assert "k" not in query(app)


def test_a_metric_unknown_to_the_code_can_be_an_axis() -> None:
    app = run_page(sweep=NEWER)
    assert SPARKLE.title in options(app, "Vertical")
    app.selectbox(key=key("y", NEWER)).select(SPARKLE.key).run()
    assert charts(app)["front"]["y"]["title"] == SPARKLE.title
    assert query(app)["y"] == [SPARKLE.key]
    assert {"Recall ≥", f"{SPARKLE.title} ≤"} <= {box.label for box in app.number_input}


def test_switches_stand_in_the_url() -> None:
    app = run_page(sweep=MADE)
    app.toggle(key=key("dominated")).set_value(False).run()
    app.toggle(key=key("paths")).set_value(True).run()
    assert query(app) == {"sweep": [MADE], "dominated": ["0"], "paths": ["1"]}
    assert "As K grows" in {line["name"] for line in layers(charts(app)["front"], "line")}


def test_points_are_configurations_or_single_seeds() -> None:
    app = run_page(sweep=MADE)
    assert len(places(charts(app)["front"])) == 9
    app.toggle(key=key("seeds")).set_value(True).run()
    assert len(places(charts(app)["front"])) == 26
    assert query(app)["seeds"] == ["1"]


def test_another_axis_lets_the_brush_go_and_another_colour_does_not() -> None:
    brush = "box:0,0;1,1"
    app = run_page(sweep=MADE, brush=brush)
    app.selectbox(key=key("colour")).select("density").run()
    assert query(app)["brush"] == [brush]
    app.selectbox(key=key("x")).select("coverage").run()
    assert "brush" not in query(app)


def test_panels_symbols_and_sizes_are_chosen_and_taken_away() -> None:
    app = run_page(sweep=MADE)
    app.selectbox(key=key("panel")).select("objective.name").run()
    assert [panel["title"] for panel in charts(app)["front"]["panels"]] == [
        "objective.name hinge",
        "objective.name kl",
        "objective.name pr",
    ]
    app.selectbox(key=key("symbol")).select(":reading").run()
    assert query(app)["symbol"] == [":reading"]
    assert charts(app)["front"]["symbols"]["words"] == ["K = 1", "K = 1.5", "K = 2", "K = 4"]
    app.selectbox(key=key("panel")).select("–").run()
    assert "panel" not in query(app)
    assert charts(app)["front"]["panels"] == []


@pytest.mark.parametrize("space", ["space", "parallel"])
def test_more_than_two_objectives_are_drawn_in_space_or_side_by_side(space: str) -> None:
    app = run_page(sweep=MADE, space=space)
    assert not app.exception
    assert "front" not in charts(app)
    assert len(app.get("plotly_chart")) == 1


def test_labels_are_no_markdown() -> None:
    app = run_page(sweep=HOSTILE_SWEEP)
    assert not app.exception
    assert HOSTILE_TITLE in options(app, "Horizontal"), "options are plain text to Streamlit"
    labels = [w.label for w in (*app.number_input, *app.multiselect, *app.select_slider, *app.button)]
    assert HOSTILE_KEY not in labels
    assert not [text for text in labels if re.search(r"(?<!\\)(<|!\[|\]\()", text)]


def test_other_sweeps_are_chosen_to_be_shown_beside() -> None:
    app = run_page(sweep=MADE)
    box = next(box for box in app.multiselect if box.label == "Other sweeps")
    assert MADE not in box.options
    box.set_value([NEWER]).run()
    assert query(app)["beside"] == [NEWER]
    assert charts(app)["front"]["colour"]["words"] == [MADE, NEWER]
