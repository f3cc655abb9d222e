"""Charts for tests, and a saved page on which they are drawn in a real browser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

from app.saving import saved_page
from explorer.figures.chart import Axis, Card, CardRow, Chart, Line, Points

WAIT = 60_000
X = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
Y = np.array([0.9, 0.75, 0.6, 0.35, 0.1])
KEYS = ("ann", "ben", "cleo", "dan", "eve")


def small(**changes: Any) -> Chart:
    """Five points on a falling line."""
    fields: dict[str, Any] = {
        "x": Axis("Precision", 0.0, 1.0, direction="max", hint="Share of samples that look real."),
        "y": Axis("Recall", 0.0, 1.0, direction="max"),
        "layers": [
            Line(X, Y, colour="contrast", name="Front"),
            Points(X, Y, key=np.arange(5), x_low=X - 0.05, x_high=X + 0.05),
        ],
        "title": "Small",
        "alt": "Five points.",
        "keys": KEYS,
        "card": Card(
            [f"Trial {key}" for key in KEYS],
            ["hash"] * 5,
            [CardRow("Precision", X), CardRow("FID", np.array([1.5, np.nan, 12345.678, -0.25, 1e-7]))],
        ),
        "select": ("box", "lasso"),
    }
    return Chart(**{**fields, **changes})


def open_page(page: Page, folder: Path, *charts: Chart) -> None:
    """Open a saved page of these charts; they are ``chart-0`` and so on."""
    file = folder / "page.html"
    file.write_text(saved_page("Test", charts), encoding="utf-8", errors="replace")
    page.goto(file.as_uri())
    page.wait_for_selector(f"[data-key=chart-{len(charts) - 1}][data-drawn]", timeout=WAIT)


def ask(page: Page, expression: str, argument: Any = None, chart: str = "chart-0") -> Any:
    """A property or call of a chart on the page, such as ``at(a)`` with the argument as ``a``."""
    return page.evaluate(f"a => window.__tradeoffCharts['{chart}'].{expression}", argument)


def at(page: Page, key: str, chart: str = "chart-0") -> tuple[float, float]:
    x, y = ask(page, "at(a)", key, chart)
    return float(x), float(y)


def located(page: Page, x: float, y: float, chart: str = "chart-0", panel: int = 0) -> tuple[float, float]:
    a, b = ask(page, "locate(...a)", [x, y, panel], chart)
    return float(a), float(b)


def told(page: Page, chart: str = "chart-0") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(page, "told", chart=chart)
    return found


def until(page: Page, expression: str, argument: Any = None) -> None:
    """Wait for something to be true; a saved page forbids the browser's own way of waiting, which evaluates text."""
    for _ in range(WAIT // 50):
        if page.evaluate(expression, argument):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(f"never true: {expression}")


def drag(page: Page, places: Sequence[tuple[float, float]]) -> None:
    """Press at the first place, move over all others, let go at the last."""
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=6)
    page.mouse.up()


def colour_at(page: Page, x: float, y: float, chart: str = "chart-0") -> list[int]:
    """Red, green, blue and alpha of the chart's pixel at a place of the page."""
    found: list[int] = page.evaluate(
        """([key, x, y]) => {
          const canvas = window.__tradeoffCharts[key].host.querySelector('canvas');
          const box = canvas.getBoundingClientRect(), ratio = canvas.width / box.width;
          const copy = document.createElement('canvas');
          [copy.width, copy.height] = [canvas.width, canvas.height];
          const ctx = copy.getContext('2d', { willReadFrequently: true });
          ctx.drawImage(canvas, 0, 0);
          const place = [x - box.left, y - box.top].map(v => Math.round(v * ratio));
          return [...ctx.getImageData(...place, 1, 1).data];
        }""",
        [chart, x, y],
    )
    return found
