"""A page is one document: plotly once, figures as data, both palettes, nothing fetched, nothing broken out of."""

from __future__ import annotations

import json
import re

import plotly.graph_objects as go

from explorer.figures.theme import DARK, LIGHT, template
from explorer.html import tag
from explorer.html.page import Page

BREAKOUT = "</div></script><img src=x onerror='window.hacked = 1'>"


def test_page_holds_plotly_once_and_no_value_breaks_out() -> None:
    page = Page(BREAKOUT)
    for _ in range(3):
        page.add(page.figure(go.Figure(go.Scatter(x=[1], y=[2], hovertext=[BREAKOUT]))))
    document = page.html()
    assert document.count("plotly.js v") == 1
    assert BREAKOUT not in document
    stored = re.findall(r'<script type="application/json" id="data-figure-\d">(.*?)</script>', document)
    assert [json.loads(s)["data"][0]["hovertext"] for s in stored] == [[BREAKOUT]] * 3


def test_parts_come_in_order_between_head_and_templates() -> None:
    page = Page("A <title>")
    page.add(tag("h1", "first"), tag("p", "second"))
    page.add(tag("p", "third"))
    document = page.html()
    assert document.startswith("<!doctype html>")
    assert "<title>A &lt;title&gt;</title>" in document
    assert "<main><h1>first</h1><p>second</p><p>third</p></main>" in document


def test_every_figure_has_a_place_of_its_own_and_no_template() -> None:
    page = Page("x")
    figure = go.Figure(go.Bar(x=[1], y=[2]), layout={"height": 321, "template": template(DARK)})
    first, second = page.figure(figure), page.figure(go.Figure())
    assert 'id="figure-1"' in first
    assert "min-height: 321px" in first
    assert 'id="figure-2"' in second
    assert "min-height: 400px" in second
    stored = re.search(r'id="data-figure-1">(.*?)</script>', first)
    assert stored is not None
    layout = json.loads(stored.group(1))["layout"]
    assert layout["height"] == 321
    assert not layout.get("template")
    assert figure.layout.template.layout.font.color == DARK.text  # the figure given is left alone


def test_both_palettes_travel_along_and_nothing_may_be_fetched() -> None:
    page = Page("x")
    page.add(page.figure(go.Figure()))
    document = page.html()
    for palette in (LIGHT, DARK):
        stored = re.search(rf'id="template-{palette.name}">(.*?)</script>', document)
        assert stored is not None
        assert json.loads(stored.group(1))["layout"]["font"]["color"] == palette.text
        assert f"--background: {palette.background};" in document
    assert "Content-Security-Policy" in document
    assert "default-src 'none'" in document
    assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="', document.split("<script>", 1)[0])


def test_a_page_without_figures_runs_no_script() -> None:
    page = Page("x")
    page.add(tag("p", "<script>alert(1)</script>"))
    document = page.html()
    assert "<script" not in document
    assert "--background" in document
