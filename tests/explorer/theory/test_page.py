"""The page of a comparison draws every figure in a browser, without a network and without errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from explorer.errors import UserError
from explorer.theory import compare
from explorer.theory.page import comparison_page, write_comparison

SKEWED = ([0.5, 0.3, 0.2, 0.0], [0.1, 0.2, 0.5, 0.2])


def test_the_page_states_the_numbers_and_writes_infinity_as_a_sign() -> None:
    document = comparison_page(compare([0.5, 0.5], [0.9, 0.1], budget=2.0))
    assert "real (0.5, 0.5), model (0.9, 0.1)" in document
    assert "At budget K = 2 the model keeps 50.0% of its draws" in document
    assert "Each of them shrinks by at least 25.0%." in document  # (K-1)/(M-1) = 1/4
    assert '<td>total variation</td><td class="n">0.4</td>' in document
    infinite = comparison_page(compare([0.5, 0.5], [1.0, 0.0]))
    assert '<td>KL</td><td class="n">∞</td>' in infinite
    assert "shrinks by at least" not in infinite  # M = ∞ guarantees nothing


def test_a_long_law_is_cut_short_on_the_page() -> None:
    document = comparison_page(compare([0.05] * 20, [0.05] * 20))
    assert ", … 20 outcomes" in document


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
