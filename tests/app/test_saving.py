"""Pages that stand alone, and what they are made of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from app import saving
from explorer.html import Markup, tag
from tests.app.chart.drawn import at, open_page, small, told

HOSTILE = "</script><script>document.title='owned'</script>"


def run() -> None:
    import streamlit as st

    from app import saving
    from app.chart import chart
    from explorer.html import tag
    from tests.app.chart.drawn import small

    saving.begin()
    saving.button("Page")
    saving.keep(tag("p", "the headline"))
    chart(small(title="first"), "one")
    chart(small(title="second"), "two")
    saving.keep(small(title="first again"), "one")
    st.session_state["page"] = saving.page("Page & more")


def test_a_run_keeps_its_parts_in_order_and_replaces_what_is_drawn_again() -> None:
    script = AppTest.from_function(run).run()
    assert not script.exception
    for _ in range(2):
        kept = script.session_state[saving.STATE].parts.values()
        assert [getattr(part, "title", "html") for part in kept if not hasattr(part, "__html__")] == [
            "first again",
            "second",
        ]
        page = script.session_state["page"]
        assert page.index("the headline") < page.index('class="tradeoff-chart"')
        assert len(re.findall(r'<script type="text/plain">[A-Za-z0-9+/]{40}', page)) == 2
        assert "<h1>Page &amp; more</h1>" in page
        script.run()


def test_text_is_escaped_and_nothing_may_be_fetched() -> None:
    page = saving.saved_page(HOSTILE, (tag("p", HOSTILE), small(title=HOSTILE, note=HOSTILE)))
    assert HOSTILE not in page
    assert page.count("</script>") == 2, "the chart's data and the program"
    assert "default-src 'none'" in page


@pytest.mark.browser
def test_charts_of_a_page_are_alive(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small(), small(title="second"))
    page.locator("[data-key=chart-1]").scroll_into_view_if_needed()
    page.mouse.click(*at(page, "eve", "chart-1"))
    assert (told(page), told(page, "chart-1")) == ([], [{"event": "picked", "value": "eve"}])


def test_what_is_made_late_is_made_when_the_page_is_saved() -> None:
    made: list[int] = []

    def late() -> Markup:
        made.append(1)
        return tag("p", "late <b>")

    page = saving.saved_page("title", (tag("p", "early"), late))
    assert made == [1]
    assert page.index("early") < page.index("late &lt;b&gt;")
