"""The report as a reader opens it: one file, no network, nothing but text in its values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from explorer.errors import UserError
from explorer.pareto import rank
from explorer.report import write_report
from explorer.results.store import ResultStore
from tests.app.made_sweep import DOCUMENT, HOSTILE_SWEEP

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('.figure')].every(f => f.querySelector('.main-svg'))"


@pytest.fixture(autouse=True)
def offline(context: BrowserContext) -> Iterator[None]:
    context.set_offline(True)
    yield
    context.set_offline(False)


def opened(page: Page, path: Path) -> None:
    page.goto(path.as_uri())
    page.wait_for_function(DRAWN, timeout=90_000)


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
    expect(page.locator(".gallery .figure")).to_have_count(min(6, len(front)))
    expect(page.get_by_text("λ trades recall for precision")).to_be_visible()
    page.get_by_text("sweep.yaml").click()
    expect(page.locator("details pre")).to_have_text(DOCUMENT)
    expect(page.get_by_text("loss became <b>NaN</b>")).to_be_visible()
    ink = page.evaluate("document.querySelector('.figure')._fullLayout.font.color")
    assert ink == {"light": "#1c2430", "dark": "#e8ecf2"}[scheme]


def test_hostile_values_are_text(page: Page, store_uri: str, tmp_path: Path) -> None:
    store = ResultStore(store_uri)
    path = tmp_path / "report.html"
    write_report(store, store.table(HOSTILE_SWEEP), path)
    opened(page, path)
    expect(page.locator("h1")).to_have_text(HOSTILE_SWEEP)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script:not([type='application/json'])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_folder_that_is_not_there_is_told(store_uri: str, tmp_path: Path) -> None:
    store = ResultStore(store_uri)
    with pytest.raises(UserError, match="must go to a writable file"):
        write_report(store, store.table("made"), tmp_path / "no" / "report.html")
