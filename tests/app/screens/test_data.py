"""The Data page: sweeps of a place, other places, objectives and their directions."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.pareto import rank
from explorer.results.table import TrialTable
from tests.app.made_sweep import ELSEWHERE, MADE, OLD
from tests.app.running import charts, html, query, run_page

pytestmark = pytest.mark.usefixtures("store")


def test_all_sweeps_of_the_place_are_listed() -> None:
    app = run_page("data", sweep=MADE)
    frame = app.dataframe[0].value
    assert {MADE, OLD, ELSEWHERE} <= set(frame["Sweep"])
    assert int(frame.set_index("Sweep").loc[MADE, "Trials"]) == 27


def test_other_objectives_change_the_front(table: TrialTable) -> None:
    app = run_page("data", sweep=MADE)
    box = next(box for box in app.multiselect if box.label == "Metrics")
    assert box.value == ["precision", "recall", "fid"]
    box.set_value(["precision"]).run()
    assert query(app)["goal"] == ["precision:max"]
    chosen = run_page(sweep=MADE, goal="precision:max", seeds="1")
    best = max(table.finished(), key=lambda t: t.metrics["precision"])
    assert list(chosen.dataframe[0].value["Trial"]) == [best.id]
    assert len(rank(table).front) > 1


def test_a_direction_can_be_turned(table: TrialTable) -> None:
    worst = min(table.finished(), key=lambda t: t.metrics["precision"])
    app = run_page(sweep=MADE, goal="precision:min", seeds="1")
    assert list(app.dataframe[0].value["Trial"]) == [worst.id]


def test_another_place_is_opened_by_its_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    file = tmp_path / "mine.csv"
    file.write_text("lr,metric:precision,metric:recall\n0.1,0.5,0.6\n0.2,0.7,0.4\n0.3,0.4,0.3\n")
    app = run_page("data", sweep=MADE)
    app.text_input[0].set_value(str(file))
    next(b for b in app.button if b.label == "Open").click().run()
    assert not app.exception
    assert not app.error
    assert "mine" in str(app.dataframe[0].value["Sweep"][0])
    assert str(file) in html(app)


@pytest.mark.parametrize("address", ["nonsense://x", "sqlite:////no/such/file.db", "/no/such.csv"])
def test_a_mistyped_place_is_told_at_once(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    app = run_page("data", sweep=MADE)
    app.text_input[0].set_value(address)
    next(b for b in app.button if b.label == "Open").click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert MADE in set(app.dataframe[0].value["Sweep"]), "the old place stays"


def test_a_page_open_to_others_offers_no_other_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "0.0.0.0")
    app = run_page("data", sweep=MADE)
    assert not app.text_input
    monkeypatch.setenv("TRADEOFF_OPEN", "1")
    assert run_page("data", sweep=MADE).text_input


def test_a_link_never_opens_an_address_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    file = tmp_path / "theirs.csv"
    file.write_text("lr,metric:precision,metric:recall\n0.1,0.5,0.6\n0.2,0.7,0.4\n")
    app = run_page("data", at=str(file))
    assert MADE in set(app.dataframe[0].value["Sweep"])
    app.button(key="open offered").click().run()
    assert not app.exception
    assert "theirs" in str(app.dataframe[0].value["Sweep"][0])
    assert charts(app) == {}


def test_a_link_to_another_place_shows_what_it_names_once_that_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    file = tmp_path / "theirs.csv"
    file.write_text("lr,metric:precision,metric:recall\n0.1,0.5,0.6\n0.2,0.7,0.4\n")
    app = run_page("data", at=str(file), sweep="theirs", y="lr")
    assert MADE in set(app.dataframe[0].value["Sweep"]), "the own place, at its newest sweep"
    app.button(key="open offered").click().run()
    assert not app.exception
    assert query(app) == {"at": [str(file)], "sweep": ["theirs"], "y": ["lr"]}


def test_a_path_that_is_typed_is_an_address_from_then_on(
    store_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    monkeypatch.setenv("TRADEOFF_HOME", "/nowhere")
    app = run_page("data", sweep=MADE)
    app.text_input[0].set_value(store_uri.removeprefix("sqlite:///"))
    next(b for b in app.button if b.label == "Open").click().run()
    assert not app.exception
    assert not app.error
    assert store_uri in html(app)
