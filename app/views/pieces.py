"""Pieces of a page that its saved copy has too: HTML and pictures; charts see to that themselves."""

from __future__ import annotations

import streamlit as st

from app import saving
from app.style import markdown_safe
from explorer.html import Markup, picture_tag, tag

__all__ = ["hint", "show", "show_picture"]


def show(*parts: Markup) -> None:
    """HTML, here and in the saved copy."""
    content = Markup("").join(parts)
    saving.keep(content)
    st.html(content)


def show_picture(content: bytes, words: str) -> None:
    """A PNG with a line below it, here and in the saved copy."""
    saving.keep(tag("figure", picture_tag(content, words), tag("figcaption", words), style="margin: 0"))
    st.image(content, caption=markdown_safe(words, 200), width="stretch")


def hint(sentence: str) -> None:
    """A quiet sentence in the place of what is not there."""
    show(tag("p", sentence, class_="tx-hint"))
