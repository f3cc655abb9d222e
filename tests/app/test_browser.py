"""The page in a real browser."""

from __future__ import annotations

import re
import signal
import urllib.parse
from pathlib import Path

import pytest
import typer
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from explorer.cli.front import front
from tests.app.conftest import Server, start_server
from tests.app.made_sweep import (
    BREAKOUT,
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

WAIT = 90_000
"""Milliseconds to wait for the page: long, so that a busy machine fails no test."""

pytestmark = pytest.mark.browser

POINT = """identity => {
  const gd = document.querySelector('.js-plotly-plot'), layout = gd._fullLayout, box = gd.getBoundingClientRect();
  for (const t of gd.data) {
    const i = (t.customdata || []).findIndex(c => c[0] === identity);
    if (i >= 0) return [box.x + layout.xaxis._offset + layout.xaxis.d2p(t.x[i]),
                        box.y + layout.yaxis._offset + layout.yaxis.d2p(t.y[i])];
  }
}"""
TRIALS = ".tx-card:has(.tx-label:text-is('Trials')) b"
LAYOUT = "document.querySelector('.js-plotly-plot').layout"
SHOWN = "document.querySelector('.js-plotly-plot').data.flatMap(t => t.customdata || []).length"


def visit(page: Page, server: Server, **query: str | list[str]) -> None:
    page.goto(f"{server.url}/?{urllib.parse.urlencode(query, doseq=True)}")
    page.wait_for_selector(".js-plotly-plot .points path", timeout=WAIT)
    settle(page)


def settle(page: Page) -> None:
    """Until the script has run and the last figure of the page is drawn."""
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=WAIT)
    page.wait_for_selector(".st-key-audit .main-svg, .st-key-listing canvas", timeout=WAIT)
    page.wait_for_timeout(300)


def choose(page: Page, label: str, option: str) -> None:
    """Take an option of a selectbox."""
    page.get_by_role("combobox", name=re.compile(label)).click()
    page.get_by_role("option", name=option, exact=True).click()


def trial_with(lam: float, seed: int) -> str:
    return next(
        m.id for m in made_trials() if m.params.get("objective.lam") == lam and m.params["seed"] == seed
    )


def count_card(page: Page) -> str:
    return page.locator(TRIALS).inner_text()


def test_front_has_a_point_per_finished_trial_that_opens_by_a_click_and_filters(
    page: Page, server: Server
) -> None:
    visit(page, server, sweep="made")
    finished = len(made_trials()) - 1
    assert count_card(page) == str(finished)
    assert page.evaluate(SHOWN) == finished
    expect(page.locator(".tx-card", has_text="λ audit").locator("b")).to_contain_text("+0.9")
    expect(page.get_by_text("λ trades recall for precision").first).to_be_visible()

    # a click on a point shows its trial, and the link reopens it
    wanted = trial_with(3.0, 0)
    assert f"Trial {wanted}" not in page.inner_text("body")
    page.mouse.click(*page.evaluate(POINT, wanted))
    expect(page.locator(".tx-head", has_text=f"Trial {wanted}")).to_be_visible(timeout=WAIT)
    expect(page.locator(".tx-dl").first).to_contain_text("gaussians8")
    expect(page.locator(".tx-table tr")).to_have_count(5)
    expect(page).to_have_url(re.compile(f"trial={wanted}"))
    page.reload()
    expect(page.locator(".tx-head", has_text=f"Trial {wanted}")).to_be_visible(timeout=WAIT)

    # a filter changes what is shown and stands in the URL
    settle(page)
    before = page.evaluate(SHOWN)
    page.get_by_role("combobox", name=re.compile("objective.name")).click()
    page.get_by_role("option", name="kl", exact=True).click()
    expect(page.locator(TRIALS)).to_have_text("3", timeout=WAIT)
    page.wait_for_function(f"{SHOWN} === 3", timeout=WAIT)
    assert before > 3
    expect(page).to_have_url(re.compile(r"in\.objective\.name=kl"))


def test_a_url_restores_axes_colour_budget_switches_and_filters(page: Page, server: Server) -> None:
    query = {
        "sweep": "made", "x": "coverage", "y": "density", "colour": "objective.lam", "k": "2", "paths": "1",
        "dominated": "0", "range.objective.lam": "0.3..3.0", "bound.fid": "9.0",
    }  # fmt: skip
    visit(page, server, **query)
    assert page.evaluate(f"{LAYOUT}.xaxis.title.text").startswith("Coverage")
    assert page.evaluate(f"{LAYOUT}.yaxis.title.text").startswith("Density")
    assert page.evaluate(f"{LAYOUT}.coloraxis.colorbar.title.text") == "λ"
    assert "K = 2" in page.evaluate(f"{LAYOUT}.title.subtitle.text")
    assert count_card(page) == "9"  # λ of 0.3, 1 and 3, three seeds each
    assert page.evaluate("document.querySelector('.js-plotly-plot').data.some(t => t.name === 'paths in K')")
    expect(page).to_have_url(re.compile("colour=objective.lam"))
    assert dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).query)) == query


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        ({"sweep": "no such <b>sweep</b>"}, ["there is no sweep 'no such <b>sweep</b>' in this store"]),
        (
            {"sweep": "made", "x": "<i>nope</i>", "k": "3", "trial": "123", "paths": "perhaps"},
            [
                "no column '<i>nope</i>'",
                "was not read at K = 3",
                "has no trial '123'",
                "'paths' must be 0 or 1",
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


def test_hostile_values_are_text(page: Page, server: Server) -> None:
    visit(page, server, sweep=HOSTILE_SWEEP)
    expect(page.locator(".tx-lead").first).to_contain_text("<script>hacked=1</script>")
    for word in (SCRIPT, BREAKOUT):
        identity = page.evaluate(
            """word => document.querySelector('.js-plotly-plot').data.flatMap(
              t => (t.customdata || []).map((c, i) => [c[0], t.hovertext[i]])).find(p => p[1].includes(word))[0]""",
            word.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#x27;")[:30],
        )
        page.mouse.click(*page.evaluate(POINT, identity))
        expect(page.locator(".tx-dl").first).to_contain_text(word, timeout=WAIT)
    expect(page.get_by_text(HOSTILE_TITLE[:20]).first).to_be_attached()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src='x'], img[src*='evil']").count() == 0
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1]


def test_the_refinement_can_be_chosen_and_changes_the_figure(page: Page, server: Server) -> None:
    visit(page, server, sweep=TWO_METHODS, k="2")
    places = "document.querySelector('.js-plotly-plot').data.filter(t => t.customdata).map(t => [...t.y])"
    before = page.evaluate(places)
    choose(page, "Refinement", "other")
    page.wait_for_function(f"{LAYOUT}.title.subtitle.text.includes('K = 2, other')", timeout=WAIT)
    assert page.evaluate(places) != before
    expect(page).to_have_url(re.compile("method=other"))


def test_a_metric_unknown_to_the_code_can_be_chosen_as_an_axis(page: Page, server: Server) -> None:
    visit(page, server, sweep=NEWER)
    choose(page, "Vertical", SPARKLE.title)
    page.wait_for_function(f"{LAYOUT}.yaxis.title.text.startsWith({SPARKLE.title!r})", timeout=WAIT)
    assert page.evaluate(SHOWN) == 5
    expect(page).to_have_url(re.compile(f"y={SPARKLE.key}"))


def test_a_sweep_of_layout_1_has_its_budgets_and_samples(page: Page, server: Server) -> None:
    visit(page, server, sweep=OLD, k="2")
    assert page.evaluate(SHOWN) == 3
    expect(page.locator(".tx-table tr")).to_have_count(4)
    samples = page.locator(".st-key-samples .js-plotly-plot")
    assert samples.evaluate("gd => gd.calcdata.map(points => points.length)") == [40, 20], "real and model"
    page.get_by_role("radio", name="K = 4").or_(page.get_by_role("button", name="K = 4")).first.click()
    page.wait_for_function(
        "document.querySelector('.st-key-samples .js-plotly-plot')?.calcdata?.[1]?.length === 10",
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
