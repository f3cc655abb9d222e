"""A sweep watched while it runs: the page fills by itself, and keeps what the reader has set and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect
from streamlit.testing.v1 import AppTest

from app import reading
from app.live import is_running
from explorer.launch.recorder import metrics_of
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.tracking import Tracker
from tests.app.browsing import WAIT, choose, settle, until_points, url
from tests.app.conftest import Server, start_server, unused_port
from tests.app.made_sweep import MADE, MARKS, Made, made, open_sweep
from tests.app.running import charts, html, places, query, run_page, run_part, told
from tests.stores import empty_store
from trainables.config import TrainingConfig, TrialConfig
from trainables.objectives.pr import PR

SWEEP = "growing"
REFRESH_S = 0.5


def trials(*lambdas: float) -> list[Made]:
    """Two seeds of each λ."""
    training = TrainingConfig(iterations=4000)
    return [
        made(TrialConfig(objective=PR(lam=lam), training=training, seed=seed), points=20)
        for lam in lambdas
        for seed in (0, 1)
    ]


def begin(launch: Tracker, begun: Sequence[Made]) -> None:
    """Trials that train, measured once."""
    launch.start([(trial.id, trial.params) for trial in begun])
    for trial in begun:
        launch.log(trial.id, 500, metrics_of(trial.history[0]))


def finish(launch: Tracker, ended: Sequence[Made]) -> None:
    for trial in ended:
        launch.log(trial.id, 4000, metrics_of(trial.final), MARKS)
        launch.finish(trial.id)


def grow(launch: Tracker, *lambdas: float) -> list[Made]:
    new = trials(*lambdas)
    begin(launch, new)
    finish(launch, new)
    return new


def points(app: AppTest) -> int:
    """How many configurations the front shows; 0 where there is no figure."""
    return len(places(charts(app)["front"])) if "front" in charts(app) else 0


def look_again(app: AppTest) -> None:
    """The page some seconds later: what it looked at last is over, what it remembers for longer is not."""
    reading.anew.clear()
    reading.sweeps_anew.clear()
    app.run()


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return empty_store(tmp_path)


@pytest.fixture
def launch(uri: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tracker]:
    """A sweep whose launch has just begun, in the store that a page run in this process reads."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    reading.forget()
    yield open_sweep(uri, SWEEP, "Watched")
    reading.forget()


def test_a_sweep_runs_until_its_launch_and_its_trials_have_ended(table: TrialTable, store_uri: str) -> None:
    info = reading.sweeps(store_uri)[MADE]
    assert not is_running(info, Columns(table))
    assert is_running(replace(info, status="running"), Columns(table))
    begun = replace(table, trials=(replace(table.trials[0], status="running"), *table.trials[1:]))
    assert is_running(info, Columns(begun))


def watching(uri: str, label: str) -> None:
    import streamlit as st

    from app import reading
    from app.live import watch_store, watch_sweep

    sweeps = reading.sweeps(uri)
    st.text(f"drawn {st.session_state.setdefault('drawn', 0)}")
    st.session_state["drawn"] += 1
    if not sweeps:
        st.text("empty")
        watch_store(uri)
    elif label not in sweeps:
        st.text("waiting")
        watch_store(uri, label)
    else:
        read = reading.columns(uri, label, sweeps[label])
        st.text(" ".join(read.columns.statuses))
        watch_sweep(uri, label, sweeps[label], read, {"finished"})


def seen(app: AppTest) -> str:
    assert not app.exception
    return str(app.text[-1].value)


def test_a_page_waits_for_a_store_a_sweep_and_its_news(uri: str) -> None:
    reading.forget()
    app = run_part(watching, uri=uri, label=SWEEP)
    assert seen(app) == "empty"
    open_sweep(uri, "another").close_sweep(interrupted=False)
    look_again(app)
    assert seen(app) == "waiting"
    launch = open_sweep(uri, SWEEP)
    look_again(app)
    assert seen(app) == ""
    first = trials(1.0)
    begin(launch, first)
    look_again(app)
    assert seen(app) == "running running"
    finish(launch, first[:1])
    look_again(app)
    assert seen(app) == "finished running"
    reading.forget()


def test_what_the_page_does_not_show_is_no_news(uri: str) -> None:
    reading.forget()
    launch = open_sweep(uri, SWEEP)
    first = trials(1.0)
    begin(launch, first)
    app = run_part(watching, uri=uri, label=SWEEP)

    def drawn() -> int:
        before = app.session_state["drawn"]
        look_again(app)
        return int(app.session_state["drawn"] - before)

    assert drawn() == 1, "nothing happened"
    launch.log(first[0].id, 700, {"fid": 1.0})
    assert drawn() == 1, "a trial in training is not drawn"
    finish(launch, first[:1])
    assert drawn() == 2
    launch.log(first[0].id, 5000, {"fid": 0.5})
    assert drawn() == 2, "a finished trial was read again"
    reading.forget()


def test_a_page_without_wishes_puts_none_into_the_url_however_the_sweep_stands(launch: Tracker) -> None:
    app = run_page()
    assert "No trial has finished yet" in html(app)
    assert "It has just begun." in html(app)
    first = trials(1.0)
    launch.start([(trial.id, trial.params) for trial in first])
    look_again(app)
    assert "2 trials are in training." in html(app)
    begin(launch, first)
    look_again(app)
    assert "2 trials are in training." in html(app)
    assert points(app) == 0
    finish(launch, first)
    look_again(app)
    assert points(app) == 1, "what is remembered gives way to what is new"
    assert told(app) == []
    grow(launch, 0.05, 20.0)
    look_again(app)
    assert points(app) == 3
    assert told(app) == []
    launch.close_sweep(interrupted=False)
    look_again(app)
    assert query(app) == {"sweep": [SWEEP]}
    assert not app.exception
    assert not app.warning


def test_wishes_survive_news_and_are_met_when_they_can_be(launch: Tracker) -> None:
    first = trials(1.0)
    begin(launch, first)
    asked = {
        "k": "2",
        "y": "coverage",
        "in.seed": "1",
        "range.objective.lam": "..3.0",
        "status": ["finished", "running"],
    }
    app = run_page(sweep=SWEEP, **asked)
    assert told(app) == []
    (complaint,) = app.warning
    assert "was not read at K" in complaint.value
    assert points(app) == 1
    finish(launch, first)
    grow(launch, 0.05, 20.0)
    look_again(app)
    assert not app.warning
    assert told(app) == []
    assert points(app) == 2
    assert "K = 2" in str(charts(app)["front"])
    assert query(app) == {
        "sweep": [SWEEP],
        **{k: v if isinstance(v, list) else [v] for k, v in asked.items()},
    }


def test_a_filter_that_nobody_passes_can_be_taken_away(launch: Tracker) -> None:
    grow(launch, 1.0, 3.0)
    app = run_page(sweep=SWEEP, **{"in.seed": "7", "range.objective.lam": "50.0..", "bound.fid": "0.0"})
    assert "No trial passes the filters." in html(app)
    assert app.multiselect(key=f"{SWEEP}|in.seed").value == ["7"]
    app.button(key="clear").click().run()
    assert points(app) == 2
    assert query(app) == {"sweep": [SWEEP]}
    slider = next(s for s in app.select_slider if s.label == "λ")
    assert slider.value == (1.0, 3.0)


@pytest.fixture
def watched(uri: str, launch: Tracker, tmp_path: Path, page: Page) -> Iterator[Server]:
    server = start_server(uri, unused_port(), tmp_path, "--refresh", str(REFRESH_S))
    yield server
    page.goto("about:blank")
    server.process.terminate()
    server.process.wait(timeout=30)


@pytest.fixture
def sent(page: Page) -> Iterator[list[int]]:
    """One entry for every word that the page says to its server."""
    words: list[int] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda _: words.append(1))

    page.on("websocket", listen)
    yield words
    page.remove_listener("websocket", listen)


@pytest.mark.browser
def test_a_watched_sweep_never_traps_the_page(
    page: Page, watched: Server, launch: Tracker, sent: list[int]
) -> None:
    page.goto(watched.url)
    expect(page.get_by_text("No trial has finished yet")).to_be_visible(timeout=WAIT)
    grow(launch, 0.3, 1.0)
    until_points(page, 2)
    assert url(page) == {"sweep": [SWEEP]}

    choose(page, "Vertical", "Density")
    expect(page).to_have_url(re.compile("y=density"), timeout=WAIT)
    settle(page)  # a click that falls between two drawings of the page is lost
    page.get_by_text("Single seeds").click()
    until_points(page, 4)
    settle(page)
    choose(page, "seed", "0")
    page.keyboard.press("Escape")
    until_points(page, 2)
    settle(page)
    page.get_by_role("slider", name="λ").first.press("ArrowRight")
    until_points(page, 1)
    settle(page)
    page.get_by_role("button", name="Sharpest").click()
    expect(page).to_have_url(re.compile("trial="), timeout=WAIT)
    wishes = url(page)
    assert wishes.keys() == {"sweep", "y", "seeds", "in.seed", "range.objective.lam", "trial"}
    assert wishes["range.objective.lam"] == ["1.0.."]

    grow(launch, 0.05, 20.0)
    until_points(page, 2)
    assert page.evaluate("window.__tradeoffCharts.front.spec.y.title") == "Density"
    expect(page.locator(".tx-hash", has_text=wishes["trial"][0])).to_be_visible()
    expect(page.get_by_role("slider", name="λ")).to_have_count(2)
    for end, value in enumerate(("1", "20")):  # the sidebar is drawn after the figure
        slider = page.get_by_role("slider", name="λ").nth(end)
        expect(slider).to_have_attribute("aria-valuetext", value, timeout=WAIT)
    assert url(page) == wishes

    expect(page.locator(".tx-chip.live")).to_be_visible()
    launch.close_sweep(interrupted=False)
    expect(page.locator(".tx-chip.live")).to_have_count(0, timeout=WAIT)
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=WAIT)
    before = len(sent)
    page.wait_for_timeout(4 * REFRESH_S * 1000)
    assert len(sent) == before, "a sweep that has ended is not looked at again"
    assert url(page) == wishes
