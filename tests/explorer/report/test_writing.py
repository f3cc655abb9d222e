"""The report as a reader opens it: one file, no network, nothing but text in its values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import escape
from playwright.sync_api import BrowserContext, Page, expect

from explorer.errors import UserError
from explorer.pareto import rank
from explorer.report import write_report
from explorer.report.gallery import GALLERY
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.store.stop import Stop
from tests.app.made_sweep import (
    DOCUMENT,
    ELSEWHERE,
    HOSTILE_SWEEP,
    NEWER,
    OLD,
    SPARKLE,
    TWO_METHODS,
    open_sweep,
    read_table,
)
from tests.explorer.html.boxes import drawn, overlapping, spilling
from tests.explorer.pareto.test_ranking import many_goals
from tests.stores import empty_store

DRAWN = "[...document.querySelectorAll('.figure')].every(f => f.querySelector('.main-svg'))"


@pytest.fixture
def offline(context: BrowserContext) -> Iterator[None]:
    context.set_offline(True)
    yield
    context.set_offline(False)


def opened(page: Page, path: Path) -> None:
    page.goto(path.as_uri())
    page.wait_for_function(DRAWN, timeout=90_000)


def written(uri: str, sweep: str, folder: Path, change=lambda table: table) -> str:
    """The report of a sweep without its scripts, which hold plotly and the data of figures."""
    store = ResultStore(uri)
    write_report(store, change(store.table(sweep)), folder / "report.html")
    text = (folder / "report.html").read_text(encoding="utf-8")
    return text[text.index("<main>") : text.index("</main>")]


def rows(text: str, heading: str) -> list[list[str]]:
    """Cells of the table under a heading."""
    table = text.split(f"<h2>{heading}</h2>")[1].split("</table>")[0]
    cells = [row.replace("</td>", "</th>").split("</th>")[:-1] for row in table.split("<tr>")[1:]]
    return [[cell.replace("</code>", "").rpartition(">")[2] for cell in row] for row in cells]


@pytest.mark.browser
@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report_opens_offline(page: Page, store_uri: str, tmp_path: Path, scheme: str) -> None:
    store = ResultStore(store_uri)
    table = store.table("made")
    path = tmp_path / "report.html"
    write_report(store, table, path)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    opened(page, path)
    front = rank(table).front
    rows = page.locator("table").first.locator("tbody tr")
    assert {rows.nth(i).locator("code").inner_text() for i in range(rows.count())} == front
    expect(page.locator(".gallery .figure")).to_have_count(min(GALLERY, len(front)))
    expect(page.get_by_text("λ trades recall for precision")).to_be_visible()
    page.get_by_text("sweep.yaml").click()
    expect(page.locator("details pre")).to_have_text(DOCUMENT)
    expect(page.get_by_text("loss became <b>NaN</b>")).to_be_visible()
    ink = page.evaluate("document.querySelector('.figure')._fullLayout.font.color")
    assert ink == {"light": "#1c2430", "dark": "#e8ecf2"}[scheme]


@pytest.mark.browser
@pytest.mark.usefixtures("offline")
def test_hostile_values_are_text(page: Page, store_uri: str, tmp_path: Path) -> None:
    store = ResultStore(store_uri)
    path = tmp_path / "report.html"
    write_report(store, store.table(HOSTILE_SWEEP), path)
    opened(page, path)
    expect(page.locator("h1")).to_have_text(HOSTILE_SWEEP)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script:not([type='application/json'])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(("sweep", "width"), [("made", 1200), (HOSTILE_SWEEP, 400)])
def test_no_title_and_no_legend_is_cut_off(
    page: Page, store_uri: str, tmp_path: Path, sweep: str, width: int
) -> None:
    store = ResultStore(store_uri)
    path = tmp_path / "report.html"
    write_report(store, store.table(sweep), path)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    drawn(page)
    assert spilling(page) == []
    assert overlapping(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    hashes = page.evaluate("[...document.querySelectorAll('td code')].map(c => c.getClientRects().length)")
    assert set(hashes) == {1}, "identities stay on one line"


def test_a_folder_that_is_not_there_is_told(store_uri: str, tmp_path: Path) -> None:
    store = ResultStore(store_uri)
    with pytest.raises(UserError, match="must go to a writable file"):
        write_report(store, store.table("made"), tmp_path / "no" / "report.html")


def test_what_a_bigger_budget_buys_is_told_per_method(store_uri: str, tmp_path: Path) -> None:
    text = written(store_uri, TWO_METHODS, tmp_path)
    table = read_table(store_uri, TWO_METHODS)
    parts = text.split("<h2>What a bigger budget buys</h2>")
    assert len(parts) == 3
    assert "one sample in K is kept" in parts[1]
    assert "read through other" in parts[2]
    (head, *body), (_, *other) = (rows(f"<h2>x</h2>{part}", "x") for part in parts[1:])
    assert head == ["K", "hypervolume", "on the front", "best precision", "best recall", "best FID"]
    assert [row[0] for row in body] == ["1", "1.5", "2", "4"]
    assert [row[0] for row in other] == ["1", "2", "3"]
    for row, budget in ((other[2], 3.0), (other[0], 1.0)):
        at = table.reading(budget, "other")
        assert row[1] == f"{rank(table, at).hypervolume:.3f}"
        assert row[3] == f"{max(t.at(at)['precision'] for t in table):.3f}"


def test_a_metric_unknown_to_the_code_has_its_title_in_cards_and_budgets(
    store_uri: str, tmp_path: Path
) -> None:
    text = written(store_uri, NEWER, tmp_path)
    assert f"Best {SPARKLE.title}" in text
    assert f"best {SPARKLE.title.lower()}" in text


def test_every_goal_is_a_column_of_the_front_however_many_metrics_there_are(
    store_uri: str, tmp_path: Path
) -> None:
    head, *body = rows(written(store_uri, NEWER, tmp_path), "Trials on the front")
    assert {"Recall", SPARKLE.title} <= set(head)
    table, place = read_table(store_uri, NEWER), head.index(SPARKLE.title)
    best = {t.id: f"{t.metrics[SPARKLE.key]:.3f}" for t in table if t.id in rank(table).front}
    assert {row[0]: row[place] for row in body} == best


def test_trials_of_a_module_that_is_not_here_are_shown(store_uri: str, tmp_path: Path) -> None:
    text = written(store_uri, ELSEWHERE, tmp_path)
    front = rank(read_table(store_uri, ELSEWHERE)).front
    assert {row[0] for row in rows(text, "Trials on the front")[1:]} == front
    assert "Samples along the front" in text


def test_a_sweep_of_layout_1_is_shown_with_budgets_and_samples(store_uri: str, tmp_path: Path) -> None:
    text = written(store_uri, OLD, tmp_path)
    assert [row[0] for row in rows(text, "What a bigger budget buys")[1:]] == ["1", "2", "4"]
    assert "Samples along the front" in text
    assert "precision-recall curves" not in text
    assert "The sweep file" not in text


def test_failures_are_listed_with_their_reasons(store_uri: str, tmp_path: Path) -> None:
    text = written(store_uri, HOSTILE_SWEEP, tmp_path)
    (failed,) = (t for t in read_table(store_uri, HOSTILE_SWEEP) if t.status == "failed")
    assert failed.id in text.split("Failed trials")[1]
    assert escape(failed.reason) in text
    assert "finished of 5, 1 failed" in text


def test_stopped_trials_are_listed_with_their_reasons(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = open_sweep(uri, "stopped")
    tracker.start([("a", {"seed": 0}), ("b", {"seed": 1})])
    for trial, stop in (("a", None), ("b", Stop(20, "x", "collapsed: <b>one</b> point").text())):
        tracker.log(trial, 20, {"precision": 0.5, "recall": 0.5, "fid": 1.0})
        tracker.finish(trial, stop)
    tracker.close_sweep(interrupted=False)
    text = written(uri, "stopped", tmp_path)
    assert rows(text, "Trials ended early") == [
        ["b", "stopped at iteration 20: collapsed: &lt;b&gt;one&lt;/b&gt; point"]
    ]
    assert "Failed trials" not in text


def test_a_sweep_of_which_nothing_has_finished_says_so(store_uri: str, tmp_path: Path) -> None:
    def running(table: TrialTable) -> TrialTable:
        return replace(table, trials=tuple(replace(t, status="running") for t in table))

    text = written(store_uri, "made", tmp_path, running)
    assert "No trial has finished yet." in text
    assert "Samples along the front" not in text


def test_the_order_is_told_as_it_is(store_uri: str, tmp_path: Path) -> None:
    """A sweep that never measured precision is not said to be ordered by it."""

    def without(table: TrialTable) -> TrialTable:
        def stripped(readings):
            return {at: {n: v for n, v in m.items() if n != "precision"} for at, m in readings.items()}

        return replace(table, trials=tuple(replace(t, readings=stripped(t.readings)) for t in table))

    assert "By falling precision" not in written(store_uri, NEWER, tmp_path, without)


def test_a_hypervolume_that_is_left_out_says_why(store_uri: str, tmp_path: Path) -> None:
    def many(table: TrialTable) -> TrialTable:
        made, run = many_goals(100, 8), table.trials[0].run_id
        return replace(table, trials=tuple(replace(t, run_id=run) for t in made), goals=made.goals)

    text = written(store_uri, "made", tmp_path, many)
    assert "The hypervolume is left out: that of 100 trials under 8 objectives would take too long." in text
    assert "<span>Hypervolume</span><b>–</b>" in text
