"""The app in a real browser: every page, by mouse and keyboard, in light and dark, wide and narrow."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import typer
from playwright.sync_api import Browser, Page, expect
from typer.testing import CliRunner

from app.ways import PAGES
from explorer.cli.front import front
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from tests.app.browsing import WAIT, choose, drag, overflows, pixel, places, settle, until_points, url, visit
from tests.app.conftest import Server, start_server
from tests.app.made_sweep import (
    BREAKOUT,
    EMPTY,
    HOSTILE_SWEEP,
    HOSTILE_TITLE,
    MADE,
    NEWER,
    OLD,
    SCRIPT,
    SPARKLE,
    TWO_METHODS,
    made_trials,
)

pytestmark = pytest.mark.browser

DRAWN = {"front": "front", "budget": "budget", "audit": "audit lambda", "trial": "samples", "sweep": "growth"}
"""A chart of every page that has one without the reader's doing."""
CARD = ".tx-card:has(.tx-label:text-is('{}')) b"


def trial_with(lam: float, seed: int) -> str:
    return next(
        m.id for m in made_trials() if m.params.get("objective.lam") == lam and m.params["seed"] == seed
    )


def means(table: TrialTable) -> dict[int, tuple[float, float]]:
    """Recall and precision of every configuration, by its first appearance."""
    columns = Columns(table)
    codes = columns.configurations[columns.finished]
    return {
        int(code): tuple(
            float(columns.metric(name)[columns.finished][codes == code].mean())
            for name in ("recall", "precision")
        )
        for code in np.unique(codes)
    }


def test_points_are_the_means_of_configurations_or_the_trials_of_the_table(
    page: Page, server: Server, table: TrialTable
) -> None:
    visit(page, server, sweep=MADE)
    columns = Columns(table)
    found = {int(columns.configurations[columns.row_of[key]]): at for key, at in places(page).items()}
    expected = means(table)
    assert set(found) == set(expected)
    for code, place in found.items():
        assert place == pytest.approx(expected[code])
    page.get_by_text("Single seeds").click()
    until_points(page, 26)
    for identity, place in places(page).items():
        metrics = table.trials[columns.row_of[identity]].metrics
        assert place == (metrics["recall"], metrics["precision"])
    expect(page).to_have_url(re.compile("seeds=1"))


def test_a_click_selects_and_the_link_reopens(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE, seeds="1")
    wanted = trial_with(3.0, 0)
    page.mouse.click(*pixel(page, wanted))
    expect(page).to_have_url(re.compile(f"trial={wanted}"), timeout=WAIT)
    expect(page.locator(".tx-hash", has_text=wanted)).to_be_visible(timeout=WAIT)
    page.reload()
    expect(page.locator(".tx-hash", has_text=wanted)).to_be_visible(timeout=WAIT)
    settle(page)
    page.get_by_role("button", name="Open the trial").click()
    page.wait_for_function("window.__tradeoffCharts?.samples", timeout=WAIT)
    expect(page).to_have_url(re.compile(rf"/trial\?.*trial={wanted}"), timeout=WAIT)


def test_pointing_shows_a_card_with_a_picture(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE)
    key = max(places(page), key=lambda identity: places(page)[identity][1])
    page.mouse.move(*pixel(page, key))
    card = page.locator(".tradeoff[data-key=front] [class*=card]").first
    expect(card).to_contain_text("λ 20", timeout=WAIT)
    expect(card).to_contain_text("Precision")
    expect(card.locator("img")).to_have_attribute("src", re.compile("^data:image/png"))


def test_brushing_filters_the_table_and_the_numbers(page: Page, server: Server, table: TrialTable) -> None:
    visit(page, server, sweep=MADE, seeds="1")
    trials = [t for t in table.finished() if t.metrics["recall"] <= 0.5]
    lows = [t.metrics["precision"] for t in trials]
    drag(page, (0.36, min(lows) - 0.02), (0.5, max(lows) + 0.01))
    expect(page).to_have_url(re.compile("brush=box"), timeout=WAIT)
    inside = [t for t in trials if t.metrics["recall"] >= 0.36]
    expect(page.locator(CARD.format("Trials"))).to_have_text(str(len(inside)), timeout=WAIT)
    assert len(places(page)) == 26, "the figure keeps all"
    page.reload()
    expect(page.locator(CARD.format("Trials"))).to_have_text(str(len(inside)), timeout=WAIT)
    page.get_by_role("button", name="Clear the brush").click()
    expect(page.locator(CARD.format("Trials"))).to_have_text("26", timeout=WAIT)


def test_the_k_slider_moves_the_points(page: Page, server: Server, table: TrialTable) -> None:
    visit(page, server, sweep=MADE, seeds="1")
    before = places(page)
    page.get_by_role("slider", name="Rejection budget K").press("End")
    expect(page).to_have_url(re.compile("k=4"), timeout=WAIT)
    settle(page)
    after = places(page)
    assert set(before) == set(after)
    columns = Columns(table)
    for identity, place in after.items():
        trial = table.trials[columns.row_of[identity]]
        read = next(metrics for at, metrics in trial.readings.items() if at.budget == 4)
        assert place == (read["recall"], read["precision"]) != before[identity]


def test_a_filter_narrows_and_stands_in_the_url(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE)
    page.get_by_role("combobox", name=re.compile("objective.name")).click()
    page.get_by_role("option", name="kl", exact=True).click()
    until_points(page, 1)
    expect(page.locator(CARD.format("Trials"))).to_have_text("3", timeout=WAIT)
    expect(page).to_have_url(re.compile(r"in\.objective\.name=kl"))


def test_a_bound_holds_configurations_by_their_means_and_can_be_emptied(
    page: Page, server: Server, table: TrialTable
) -> None:
    visit(page, server, sweep=MADE, **{"bound.precision": "0.85"})
    kept = {at for at in means(table).values() if at[1] >= 0.85}
    assert 0 < len(kept) < 9
    until_points(page, len(kept))
    assert np.allclose(sorted(places(page).values()), sorted(kept))
    field = page.get_by_role("spinbutton", name=re.compile("Precision"))
    expect(field).to_have_value("0.85")
    field.fill("")
    field.press("Enter")
    until_points(page, 9)
    assert "bound.precision" not in url(page)
    expect(field).to_have_value("")
    field.fill("0.85")
    field.press("Enter")
    until_points(page, len(kept))


def test_a_brush_around_a_mean_chooses_its_configuration(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE)
    x, y = max(places(page).values(), key=lambda place: place[1])
    drag(page, (x - 0.01, y - 0.01), (x + 0.01, y + 0.01))
    expect(page.locator(CARD.format("Trials"))).to_have_text("3", timeout=WAIT)
    expect(page.locator(CARD.format("On the front"))).to_have_text("1", timeout=WAIT)
    expect(page.locator("h2.tx-head")).to_have_text("λ 20 · pr", timeout=WAIT)


def test_a_url_restores_the_view(page: Page, server: Server) -> None:
    query = {
        "sweep": MADE, "x": "coverage", "y": "density", "colour": "objective.lam", "k": "2", "paths": "1",
        "dominated": "0", "seeds": "1", "range.objective.lam": "0.3..3.0", "bound.fid": "9.0",
    }  # fmt: skip
    visit(page, server, **query)
    spec = page.evaluate(
        "(({x, y, colour, subtitle}) => [x.title, y.title, colour.title, subtitle])(window.__tradeoffCharts.front.spec)"
    )
    assert spec[:3] == ["Coverage", "Density", "λ"]
    assert "K = 2" in spec[3]
    expect(page.locator(CARD.format("Trials"))).to_have_text("9")  # λ of 0.3, 1 and 3, three seeds each
    expect(page).to_have_url(re.compile("colour=objective.lam"))
    assert url(page) == {key: [value] for key, value in query.items()}


@pytest.mark.parametrize("name", list(DRAWN))
def test_every_page_is_drawn_and_leads_back(page: Page, server: Server, name: str) -> None:
    visit(page, server, name, DRAWN[name], sweep=MADE)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    other = "budget" if name == "front" else "front"
    page.get_by_role("link", name=PAGES[other][0]).click()
    page.wait_for_function("key => window.__tradeoffCharts?.[key]", arg=DRAWN[other], timeout=WAIT)
    expect(page).to_have_url(re.compile(f"sweep={MADE}"), timeout=WAIT)


def test_trials_are_pinned_and_compared(page: Page, server: Server) -> None:
    pins = [f"{MADE}/{trial_with(lam, 0)}" for lam in (0.1, 10.0)]
    visit(page, server, "compare", sweep=MADE, pin=pins)
    for lam in ("0.1", "10"):
        expect(page.get_by_text(f"λ {lam}", exact=False).first).to_be_visible(timeout=WAIT)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert url(page)["pin"] == pins


def test_objectives_are_chosen_on_the_data_page(page: Page, server: Server) -> None:
    visit(page, server, "data", sweep=MADE)
    page.get_by_role("button", name="smaller is better").or_(
        page.get_by_role("radio", name="smaller is better")
    ).first.click()
    expect(page).to_have_url(re.compile(r"goal=precision(:|%3A)min"), timeout=WAIT)


@pytest.fixture(scope="module")
def dark_phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme="dark")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", list(PAGES))
def test_dark_and_phone(dark_phone: Page, server: Server, name: str) -> None:
    page = dark_phone
    visit(page, server, name, DRAWN.get(name), sweep=MADE)
    assert not overflows(page)
    background = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert background == "rgb(17, 21, 28)"
    expect(page.get_by_test_id("stException")).to_have_count(0)
    if name == "front":
        chart = page.locator(".tradeoff[data-key=front]").bounding_box()
        cards = page.locator(".tx-cards").bounding_box()
        assert chart is not None
        assert cards is not None
        assert chart["y"] < cards["y"], "the plot comes first"


def test_the_keyboard_walks_and_picks(page: Page, server: Server) -> None:
    visit(page, server, sweep=MADE)
    page.locator(".tradeoff[data-key=front]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("trial="), timeout=WAIT)
    assert url(page)["trial"][0] in places(page)


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        (
            {"sweep": MADE, "x": "<i>nope</i>", "k": "3", "trial": "123", "paths": "perhaps", "brush": "x"},
            [
                "no column '<i>nope</i>'",
                "was not read at K = 3",
                "has no trial '123'",
                "'paths' must be 0 or 1",
                "the brush could not be read",
            ],
        ),
    ],
)
def test_bad_urls_get_a_sentence(
    page: Page, server: Server, query: dict[str, str], sentences: list[str]
) -> None:
    visit(page, server, **query)
    for sentence in sentences:
        expect(page.get_by_test_id("stAlert").filter(has_text=sentence)).to_be_visible(timeout=WAIT)
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("name", list(PAGES))
def test_hostile_values_are_text(page: Page, server: Server, name: str) -> None:
    visit(page, server, name, DRAWN.get(name) if name in ("front", "trial") else None, sweep=HOSTILE_SWEEP)
    expect(page.locator(".tx-lead").first).to_contain_text("<script>hacked=1</script>", timeout=WAIT)
    if name == "front":
        for word in (SCRIPT, BREAKOUT):
            heading = page.evaluate(
                "word => window.__tradeoffCharts.front.spec.card.headings.findIndex(h => h.includes(word))",
                word[:12],
            )
            identity = page.evaluate("i => window.__tradeoffCharts.front.spec.keys[i]", heading)
            page.mouse.move(*pixel(page, identity))
            page.mouse.click(*pixel(page, identity))
            expect(page).to_have_url(re.compile(identity), timeout=WAIT)
        expect(page.get_by_text(HOSTILE_TITLE[:20]).first).to_be_attached(timeout=WAIT)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x'], img[src*='evil']").count() == 0
    assert not overflows(page)


def test_the_refinement_can_be_chosen_and_changes_the_figure(page: Page, server: Server) -> None:
    visit(page, server, sweep=TWO_METHODS, k="2", seeds="1")
    before = places(page)
    choose(page, "Refinement", "other")
    page.wait_for_function(
        "window.__tradeoffCharts.front.spec.subtitle.includes('K = 2, other')", timeout=WAIT
    )
    assert places(page) != before
    expect(page).to_have_url(re.compile("method=other"))


def test_a_metric_unknown_to_the_code_can_be_chosen_as_an_axis(page: Page, server: Server) -> None:
    visit(page, server, sweep=NEWER)
    choose(page, "Vertical", SPARKLE.title)
    page.wait_for_function(
        "title => window.__tradeoffCharts.front.spec.y.title === title", arg=SPARKLE.title, timeout=WAIT
    )
    expect(page).to_have_url(re.compile(f"y={SPARKLE.key}"))


def test_a_sweep_of_layout_1_has_its_budgets_and_samples(page: Page, server: Server) -> None:
    visit(page, server, "trial", "samples", sweep=OLD)
    page.get_by_role("radio", name="K = 4").or_(page.get_by_role("button", name="K = 4")).first.click()
    page.wait_for_function(
        "window.__tradeoffCharts.samples.spec.layers.some(l => l.kind === 'points' && l.x.length === 10)",
        timeout=WAIT,
    )


def test_the_csv_is_the_one_that_the_command_prints(page: Page, server: Server, store_uri: str) -> None:
    visit(page, server, sweep=MADE, status=["finished", "failed"])
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="CSV", exact=True).click()
    command = typer.Typer()
    command.command()(front)
    called = CliRunner().invoke(command, [MADE, "--csv", "--tracking-uri", store_uri], catch_exceptions=False)
    printed = called.stdout_bytes
    assert printed.count(b"\n") == 1 + 26 * 4 + 1, "a row per trial and reading; the failed one has one"
    assert Path(download.value.path()).read_bytes() == printed
    assert download.value.suggested_filename == "made.csv"


def test_the_page_is_saved_as_one_file_that_needs_no_network(
    page: Page, server: Server, browser: Browser, tmp_path: Path
) -> None:
    visit(page, server, sweep=MADE)
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Save this page").click()
    file = tmp_path / "page.html"
    download.value.save_as(file)
    context = browser.new_context(offline=True)
    saved, asked = context.new_page(), []
    saved.on("request", lambda request: asked.append(request.url))
    saved.goto(file.as_uri())
    expect(saved.locator(".tradeoff canvas").first).to_be_visible(timeout=WAIT)
    expect(saved.locator(".tx-card").first).to_contain_text("Trials")
    expect(saved.locator(".tx-table tr", has_text="λ 20")).to_have_count(1)
    assert [address for address in asked if not address.startswith(("file:", "data:", "blob:"))] == []
    context.close()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("data", ["This place", "larger is better", TWO_METHODS]),
        ("sweep", ["26 finished", "Failures", "tradeoff fill made"]),
        ("budget", ["Measured less predicted", "The front at equal cost", "Best FID"]),
        ("audit", ["ρ precision"]),
    ],
)
def test_a_saved_page_has_what_the_page_says(page: Page, server: Server, name: str, words: list[str]) -> None:
    visit(page, server, name, DRAWN.get(name), sweep=MADE)
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Save this page").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert [word for word in words if word not in text] == []


def test_a_seventh_pin_is_refused_with_a_reason(page: Page, server: Server) -> None:
    pins = [f"{MADE}/{trial_with(lam, 0)}" for lam in (0.05, 0.1, 0.3, 1.0, 3.0, 10.0)]
    visit(page, server, sweep=MADE, pin=pins, trial=trial_with(20.0, 0))
    expect(page.get_by_role("button", name="Pin to compare")).to_be_disabled(timeout=WAIT)


@pytest.mark.parametrize("width", [1000, 1200])
def test_narrow_windows_do_not_scroll_sideways(page: Page, server: Server, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, server, sweep=MADE)
    assert not overflows(page)
    page.get_by_role("link", name="Trial").click()
    page.wait_for_function("window.__tradeoffCharts?.samples", timeout=WAIT)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden(timeout=WAIT)


def test_an_empty_experiment_says_so(page: Page, server: Server) -> None:
    visit(page, server, "front", "", sweep=EMPTY)
    expect(page.get_by_text("This sweep has no trials yet.")).to_be_visible(timeout=WAIT)


def test_a_link_to_a_sweep_that_is_not_there_waits(page: Page, server: Server) -> None:
    visit(page, server, "front", "", sweep="not <b>yet</b>")
    expect(page.get_by_text("Waiting for this sweep")).to_be_visible(timeout=WAIT)
    expect(page.locator("code", has_text="not <b>yet</b>")).to_be_visible()
    page.get_by_role("button", name=MADE, exact=True).click()
    until_points(page, 9)


def test_empty_store_says_what_to_do_and_the_command_ends_cleanly(
    page: Page, server: Server, tmp_path: Path
) -> None:
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    second = start_server(uri, server.port, tmp_path)
    try:
        assert second.port != server.port
        assert f"Port {server.port} is busy" in second.printed[0]
        page.goto(second.url)
        expect(page.get_by_text("No sweeps yet")).to_be_visible(timeout=WAIT)
        expect(page.locator("pre").first).to_have_text("make demo")
    finally:
        page.goto("about:blank")
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(timeout=30) == 0


def test_a_dead_server_gives_a_sentence(page: Page, server: Server, tmp_path: Path) -> None:
    """One port where nobody listens, and one where somebody listens and never answers."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        second = start_server(f"http://127.0.0.1:{mute.getsockname()[1]}", server.port, tmp_path)
        try:
            began = time.monotonic()
            page.goto(second.url)
            expect(page.get_by_test_id("stAlert")).to_be_visible(timeout=WAIT)
            print(f"a sentence after {time.monotonic() - began:.1f} s")
            expect(page.get_by_test_id("stException")).to_have_count(0)
        finally:
            page.goto("about:blank")
            second.process.terminate()
            second.process.wait(timeout=30)
