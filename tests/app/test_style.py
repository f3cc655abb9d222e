"""Pieces of the page hold text and nothing else, in HTML and in Markdown."""

from __future__ import annotations

import time

import pytest

from app.style import STYLE, card, cards, chip, definition_list, markdown_safe
from tests.app.made_sweep import BREAKOUT, PICTURE, SCRIPT
from tests.app.running import html, run_part


def test_labels_stay_readable_and_are_no_formatting() -> None:
    assert markdown_safe("objective.lr_g") == "objective.lr_g"
    assert markdown_safe("_a_ www.x.org") == r"\_a\_ www\.x.org"
    assert markdown_safe("![x](http://evil)") == r"\!\[x\](http\://evil)"
    assert markdown_safe("- item") == r"\- item"
    assert markdown_safe("1. item") == r"1\. item"


def test_long_and_odd_labels_are_cut_and_cleaned() -> None:
    assert markdown_safe(f"*a* {SCRIPT}", 200).startswith(r"\*a\* \<script\>")
    assert markdown_safe("x" * 100) == "x" * 59 + "…"
    assert markdown_safe("a\nb\x00c") == "a b c"


@pytest.mark.parametrize("word", [SCRIPT, BREAKOUT, PICTURE])
def test_pieces_of_html_escape_what_they_are_given(word: str) -> None:
    pieces = [card(word, word, word), cards([card(word, "1")]), chip(word), definition_list([(word, word)])]
    for piece in pieces:
        assert "<script" not in piece
        assert "<img" not in piece
    assert definition_list([("a", "b"), ("c", "d")]) == (
        '<dl class="tx-dl"><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>'
    )
    assert chip("x") == '<span class="tx-chip">x</span>'
    assert chip("x", "good") == '<span class="tx-chip good">x</span>'


def test_the_sheet_is_on_the_page_and_fetches_nothing() -> None:
    def draw() -> None:
        from app.style import style_sheet

        style_sheet()

    assert html(run_part(draw)) == f"<style>{STYLE}</style>"
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_the_palette_is_the_light_one_unless_the_reader_chose_dark() -> None:
    def draw() -> None:
        import streamlit as st

        from app.style import palette

        st.text(palette().name)

    assert run_part(draw).text[0].value == "light"


def test_labels_are_cut_before_they_are_looked_at() -> None:
    began = time.perf_counter()
    assert markdown_safe("x" * 10_000_000) == "x" * 59 + "…"
    assert time.perf_counter() - began < 0.2
