"""Ways from page to page."""

from __future__ import annotations

import pytest

from app.ways import PAGES
from tests.app.made_sweep import MADE
from tests.app.running import charts, query, run_page, run_part


def test_every_page_of_the_app_has_a_way() -> None:
    assert list(PAGES) == ["front", "budget", "audit", "trial", "compare", "sweep", "data"]


def test_what_is_picked_becomes_the_selected_trial() -> None:
    def draw() -> None:
        import streamlit as st

        from app.ways import TO, picker
        from app.wishes import wished

        picker("made")("abc")
        assert wished("made").trial == "abc"
        assert TO not in st.session_state
        picker("made", "trial")("def")
        assert (wished("made").trial, st.session_state[TO]) == ("def", "trial")

    assert not run_part(draw).exception


@pytest.mark.usefixtures("store")
def test_a_button_leads_to_another_page_and_keeps_the_wishes() -> None:
    app = run_page(sweep=MADE, colour="density")
    assert "front" in charts(app)
    app.button(key="open trial").click().run()
    assert not app.exception
    assert "front" not in charts(app)
    assert "samples" in charts(app)
    assert query(app)["colour"] == ["density"]
