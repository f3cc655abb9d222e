"""Pages without a front say what to do, and give no password away."""

from __future__ import annotations

import pytest

from tests.app.made_sweep import SCRIPT
from tests.app.running import html, run_part


def page(uri: str) -> str:
    def draw(uri: str) -> None:
        from app.views.empty import empty_page

        empty_page(uri)

    return html(run_part(draw, uri=uri))


def test_an_empty_store_is_named_with_what_to_do() -> None:
    shown = page("sqlite:////data/mlflow.db")
    assert "No sweeps yet" in shown
    assert "<code>sqlite:////data/mlflow.db</code>" in shown
    assert "<pre>make demo</pre>" in shown


@pytest.mark.parametrize("uri", ["postgresql://me:secret@host/db", "http://me:secret@host:5000"])
def test_passwords_are_not_shown(uri: str) -> None:
    shown = page(uri)
    assert "secret" not in shown
    assert "//…@host" in shown


def test_a_sentence_in_place_of_the_front_is_text() -> None:
    def draw(sentence: str) -> None:
        from app.views.empty import nothing_to_show

        nothing_to_show(sentence)

    shown = html(run_part(draw, sentence=f"Nothing {SCRIPT}"))
    assert shown == '<p class="tx-hint">Nothing &lt;script&gt;window.hacked = 1&lt;/script&gt;</p>'


def test_a_sweep_that_is_waited_for_is_named_as_text_and_others_are_offered() -> None:
    def draw(sweep: str) -> None:
        import streamlit as st

        from app.views.empty import waiting_page

        waiting_page(sweep, ["a", f"b {sweep}"])
        st.text(str(st.session_state.get("instead")))

    app = run_part(draw, sweep=SCRIPT)
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in html(app)
    assert app.button[0].label == "a"
    assert "<script>" not in app.button[1].label.replace("\\<", "")
    app.button[0].click().run()
    assert app.text[0].value == "a"
