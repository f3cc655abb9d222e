"""The app in a real browser: to go to a page, to wait until it is drawn, to read and to use its charts."""

from __future__ import annotations

import re
import urllib.parse

from playwright.sync_api import Page

from tests.app.conftest import Server

WAIT = 90_000
"""Milliseconds to wait for the page: long, so that a busy machine fails no test."""

PLACES = """key => {
  const spec = window.__tradeoffCharts[key].spec, found = {};
  const layers = [...spec.layers, ...spec.panels.flatMap(panel => panel.layers)];
  for (const layer of layers.filter(one => one.kind === 'points' && one.key))
    layer.key.forEach((code, i) => { found[spec.keys[code]] = [layer.x[i], layer.y[i]]; });
  return found;
}"""


def visit(
    page: Page, server: Server, name: str = "front", chart: str | None = None, **query: str | list[str]
) -> None:
    """Open a page of the app and wait until it, and a chart of it, is drawn."""
    path = "" if name == "front" else name
    page.goto(f"{server.url}/{path}?{urllib.parse.urlencode(query, doseq=True)}")
    chart = "front" if chart is None and name == "front" else chart
    if chart:
        page.wait_for_function("key => window.__tradeoffCharts?.[key]", arg=chart, timeout=WAIT)
    settle(page)


def settle(page: Page) -> None:
    """Until the script has run, and its charts are drawn."""
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=WAIT)
    page.wait_for_timeout(400)
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=WAIT)


def choose(page: Page, label: str, option: str) -> None:
    """Take an option of a selectbox."""
    page.get_by_role("combobox", name=re.compile(label)).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def places(page: Page, chart: str = "front") -> dict[str, tuple[float, float]]:
    """Where the points of a chart lie, in its own units, by their key."""
    return {key: (x, y) for key, (x, y) in page.evaluate(PLACES, chart).items()}


def until_points(page: Page, count: int, chart: str = "front") -> None:
    """Wait for a chart of that many points."""
    page.wait_for_function(
        f"([key, count]) => window.__tradeoffCharts?.[key] && Object.keys(({PLACES})(key)).length === count",
        arg=[chart, count],
        timeout=WAIT,
    )


def pixel(page: Page, identity: str, chart: str = "front") -> tuple[float, float]:
    """Where a point is on the screen; the chart is scrolled into view first."""
    page.locator(f".tradeoff[data-key='{chart}']").scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    x, y = page.evaluate("([key, id]) => window.__tradeoffCharts[key].at(id)", [chart, identity])
    return x, y


def drag(page: Page, start: tuple[float, float], end: tuple[float, float], chart: str = "front") -> None:
    """Drag from one place of the chart to another, in its own units."""
    page.locator(f".tradeoff[data-key='{chart}']").scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    ends = [
        page.evaluate("([key, x, y]) => window.__tradeoffCharts[key].locate(x, y)", [chart, *place])
        for place in (start, end)
    ]
    page.mouse.move(*ends[0])
    page.mouse.down()
    page.mouse.move(*[(a + b) / 2 for a, b in zip(*ends, strict=True)])
    page.mouse.move(*ends[1])
    page.mouse.up()


def url(page: Page) -> dict[str, list[str]]:
    """What the URL says."""
    return urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)


def overflows(page: Page) -> bool:
    """Whether the page, or what of it scrolls by itself, scrolls sideways."""
    wide, window = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    inner, main = page.evaluate(
        "(({scrollWidth, clientWidth}) => [scrollWidth, clientWidth])(document.querySelector('[data-testid=stMain]'))"
    )
    return bool(wide > window or inner > main)
