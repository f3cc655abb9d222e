"""Filters are set by controls and by nothing else, and can be taken away again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.filters import Span
from app.narrowing import OFFERED
from app.view import View
from explorer.results.table import TrialTable
from tests.app.made_sweep import MADE, NEWER
from tests.app.running import charts, html, places, query, run_page, run_part

pytestmark = pytest.mark.usefixtures("store")
RANGE = "range.objective.lam"


def key(name: str) -> str:
    return f"{MADE}|{name}"


def lam(app):
    return next(s for s in app.select_slider if s.label == "λ")


def test_filters_narrow_what_is_shown() -> None:
    app = run_page(sweep=MADE, seeds="1")
    assert len(places(charts(app)["front"])) == 26
    app.multiselect(key=key("in.objective.name")).select("kl").run()
    assert len(places(charts(app)["front"])) == 3
    assert query(app)["in.objective.name"] == ["kl"]
    app.multiselect(key=key("in.objective.name")).unselect("kl").run()
    slider = next(s for s in app.select_slider if s.label == "λ")
    slider.set_range(1.0, 20.0).run()
    assert len(places(charts(app)["front"])) == 12
    assert query(app)["range.objective.lam"] == ["1.0.."]
    app.number_input(key=key("bound.precision")).set_value(0.9).run()
    assert 0 < len(places(charts(app)["front"])) < 12
    assert query(app)["bound.precision"] == ["0.9"]


def test_status_is_offered_where_not_all_have_finished() -> None:
    app = run_page(sweep=MADE, seeds="1")
    assert app.multiselect(key=key("statuses")).value == ["finished"]
    app.multiselect(key=key("statuses")).select("failed").run()
    assert len(places(charts(app)["front"])) == 27
    assert query(app)["status"] == ["failed", "finished"]
    assert "Status" not in {box.label for box in run_page(sweep=NEWER).multiselect}


def test_an_end_of_a_range_is_open_where_it_was_not_moved() -> None:
    app = run_page(sweep=MADE, seeds="1")
    lam(app).set_range(0.05, 3.0).run()
    assert query(app)[RANGE] == ["..3.0"]
    lam(app).set_range(0.1, 3.0).run()
    assert query(app)[RANGE] == ["0.1..3.0"]
    lam(app).set_range(0.05, 20.0).run()
    assert RANGE not in query(app)


def test_an_end_that_the_reader_gave_stays_his_own() -> None:
    app = run_page(sweep=MADE, seeds="1", **{RANGE: "0.01..20.0"})
    assert lam(app).value == (0.01, 20.0), "beyond the data too"
    lam(app).set_range(0.01, 3.0).run()
    assert query(app)[RANGE] == ["0.01..3.0"]


def test_no_status_chosen_is_every_status() -> None:
    app = run_page(sweep=MADE, seeds="1")
    app.multiselect(key=key("statuses")).unselect("finished").run()
    assert len(places(charts(app)["front"])) == 27
    assert app.multiselect(key=key("statuses")).value == []
    assert set(query(app)["status"]) == {"finished", "failed", "killed", "running"}


def test_one_button_takes_all_filters_away() -> None:
    app = run_page(sweep=MADE, seeds="1", y="density")
    assert "clear" not in {b.key for b in app.button}
    lam(app).set_range(1.0, 3.0).run()
    app.multiselect(key=key("in.seed")).select("1").run()
    app.number_input(key=key("bound.precision")).set_value(2.0).run()
    assert "No trial passes the filters." in html(app)
    app.button(key="clear").click().run()
    assert query(app) == {"sweep": [MADE], "y": ["density"], "seeds": ["1"]}
    assert lam(app).value == (0.05, 20.0)
    (seeds,) = (widget for widget in app.multiselect if widget.key.startswith(key("in.seed")))
    assert seeds.value == []
    (bound,) = (widget for widget in app.number_input if widget.key.startswith(key("bound.precision")))
    assert bound.value is None
    assert len(places(charts(app)["front"])) == 26


def test_of_many_parameters_some_have_controls_and_those_of_the_address_do_too(table: TrialTable) -> None:
    def draw(table, view) -> None:
        from app.narrowing import narrowing
        from explorer.results.columns import Columns
        from explorer.store.schema import PLAIN

        narrowing(Columns(table), view, PLAIN)

    odd = {f"n{i:03d}": i for i in range(OFFERED + 50)} | {f"w{i:03d}": f"w{i}" for i in range(OFFERED + 50)}
    other = {name: value * 2 for name, value in odd.items()}
    one, two, *_ = table.finished()
    many = replace(table, trials=(replace(one, params=odd), replace(two, params=other)))
    app = run_part(draw, table=many, view=View(sweep=MADE, filters=(Span("n075", 1.0, None),)))
    assert [slider.label for slider in app.select_slider] == [
        *(f"n{i:03d}" for i in range(1, OFFERED + 1)),
        "n075",
    ]
    assert len(app.multiselect) == OFFERED
    (told,) = (caption.value for caption in app.caption)
    assert told.startswith("99 more parameters vary")
