"""The page of a comparison draws every figure in a browser, without a network and without errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from explorer.errors import UserError
from explorer.theory import compare
from explorer.theory.figures import curve_figure, frontier_figure
from explorer.theory.page import write_comparison

SKEWED = ([0.5, 0.3, 0.2, 0.0], [0.1, 0.2, 0.5, 0.2])


def test_the_curves_run_from_axis_to_axis() -> None:
    before, after = curve_figure(compare(*SKEWED)).data
    assert (before.x[0], before.y[0]) == (pytest.approx(1.0), 0.0)
    assert (before.x[-1], before.y[-1]) == (0.0, pytest.approx(0.8))
    assert after.y[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["exclusive", "inclusive"])
def test_frontiers_of_disjoint_laws_draw_finite_points_only(kind: str) -> None:
    figure = frontier_figure(compare([1.0, 0.0], [0.0, 1.0]), kind)
    assert len(figure.data) == 4
    assert all(value < float("inf") for trace in figure.data for value in (*trace.x, *trace.y))


def test_a_page_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must go to a writable file"):
        write_comparison(compare(*SKEWED), tmp_path / "missing" / "page.html")


@pytest.mark.browser
def test_the_page_draws_in_a_browser(tmp_path: Path, page: Page) -> None:
    path = tmp_path / "theory.html"
    write_comparison(compare(*SKEWED), path)
    page.goto(path.as_uri())
    lines = page.locator(".js-plotly-plot .scatterlayer .js-line")
    lines.nth(10).wait_for(state="attached")  # two curves, one divergence, four orders of either frontier
    assert lines.count() == 11
    assert "Two laws compared" in page.inner_text("h1")
    # three laws, two bars for each of five
    assert page.locator(".js-plotly-plot .bars .point").count() == 12 + 10
