"""Pieces of a page are in its saved copy too, as text where they are text."""

from __future__ import annotations

import pytest

from tests.app.made_sweep import SCRIPT
from tests.app.running import html, run_part

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x03\x00\x08\xfc\x02\xfe\xa7\x9a\xa0\xa0\x00\x00\x00\x00IEND\xaeB`\x82"
)


def page(words: str, picture: bytes) -> None:
    import streamlit as st

    from app import saving
    from app.views.pieces import hint, show, show_picture
    from explorer.html import tag

    saving.begin()
    show(tag("p", words), tag("b", "bold"))
    hint(words)
    show_picture(picture, words)
    st.text(saving.page("A page"))


@pytest.mark.usefixtures("store")
def test_what_is_shown_is_saved() -> None:
    app = run_part(page, words=SCRIPT, picture=PNG)
    assert not app.exception
    saved = app.text[0].value
    for where in (html(app), saved):
        assert "&lt;script&gt;window.hacked" in where
        assert "<b>bold</b>" in where
        assert SCRIPT not in where
    assert "data:image/png;base64," in saved
    assert len(app.get("image")) + len(app.get("imgs")) == 1
