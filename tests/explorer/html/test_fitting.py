"""Figures at the width they get: titles, headings, legends and colour bars lie inside, and not on each other."""

from __future__ import annotations

import html
from itertools import pairwise
from pathlib import Path

import plotly.graph_objects as go
import pytest
from playwright.sync_api import Page as Tab
from plotly.subplots import make_subplots

from explorer.html import Page
from tests.explorer.html.boxes import drawn, overlapping, spilling

TITLE = (
    "A title that says a lot about what was measured, how often it was measured, and what came out in the end"
)
HOSTILE = html.escape("<img src=x onerror='window.hacked = 1'> & " + "y" * 90)
NOTE = "a first note · a second note that is longer than the first · a third note"


def coloured() -> go.Figure:
    figure = go.Figure(
        go.Scatter(x=[1, 2], y=[3, 4], mode="markers", marker={"color": [1, 2], "coloraxis": "coloraxis"})
    )
    figure.update_layout(
        title={"text": TITLE, "subtitle": {"text": NOTE}},
        coloraxis={"colorbar": {"title": {"text": "A colour of some…"}}},
        xaxis={"title": {"text": "A parameter with a long name, on the axis →"}},
        yaxis={"title": {"text": "A metric with a long name, on the other axis ←"}},
        height=560,
    )
    return figure


def named() -> go.Figure:
    figure = go.Figure(
        [go.Scatter(x=[0, 1], y=[0, i], name=f"{i}: a trial with a longish name") for i in range(6)]
    )
    return figure.update_layout(title={"text": HOSTILE, "subtitle": {"text": HOSTILE}})


def panelled() -> go.Figure:
    headings = [f"setting {i} · with_a_long_parameter_name a value…   ρ +0.98, p < 0.01" for i in range(3)]
    figure = make_subplots(1, 3, shared_yaxes=True, subplot_titles=headings)
    for place in range(3):
        figure.add_scatter(x=[0, 1], y=[0, place], name="precision", row=1, col=place + 1)
        figure.update_xaxes(title={"text": "λ"}, row=1, col=place + 1)
    return figure.update_layout(title={"text": TITLE}, margin={"t": 104}, height=420)


def barred() -> go.Figure:
    figure = go.Figure(
        go.Heatmap(z=[[1, 2], [3, 4]], showscale=True, colorbar={"title": {"text": "less than the best"}})
    )
    return figure.update_layout(title={"text": TITLE, "subtitle": {"text": NOTE}}, showlegend=False)


FIGURES = {"coloured": coloured, "named": named, "panelled": panelled, "barred": barred}


def written(folder: Path, *figures: go.Figure) -> Path:
    page = Page("figures")
    page.add(*(page.figure(figure) for figure in figures))
    path = folder / "page.html"
    path.write_text(page.html(), encoding="utf-8")
    return path


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 600, 360])
def test_nothing_is_cut_off_and_nothing_lies_on_anything_else(page: Tab, tmp_path: Path, width: int) -> None:
    path = written(tmp_path, *(make() for make in FIGURES.values()))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    drawn(page)
    assert spilling(page) == []
    assert overlapping(page) == []
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
def test_a_window_that_becomes_narrow_is_fitted_anew(page: Tab, tmp_path: Path) -> None:
    path = written(tmp_path, coloured(), panelled())
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto(path.as_uri())
    drawn(page)
    bars = "document.querySelector('.figure')._fullLayout.coloraxis.colorbar.orientation"
    starts = "[...document.querySelectorAll('.figure')].at(-1)._fullLayout.xaxis2.domain[0]"
    assert page.evaluate(bars) == "v"
    assert page.evaluate(starts) > 0.3
    page.set_viewport_size({"width": 400, "height": 900})
    page.wait_for_function(f"{bars} === 'h' && {starts} === 0")
    page.wait_for_timeout(200)
    assert spilling(page) == []
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_function(f"{bars} === 'v' && {starts} > 0.3")


@pytest.mark.browser
def test_text_is_whole_in_its_lines(page: Tab, tmp_path: Path) -> None:
    """Lines together say what the figure says; marked-up text and what fits are left as they are."""
    figure = go.Figure().update_layout(title={"text": TITLE})
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(written(tmp_path, figure, named()).as_uri())
    drawn(page)

    def lines(text: str, width: int) -> list[str]:
        found = page.evaluate("([t, w]) => wrapped(t, 17, 'sans-serif', w).split('<br>')", [text, width])
        assert isinstance(found, list)
        return found

    assert " ".join(lines(TITLE, 300)) == TITLE
    assert len(lines(TITLE, 300)) > 2
    assert lines(TITLE, 5000) == [TITLE]
    assert "".join(lines("y" * 200, 300)) == "y" * 200
    assert "".join(html.unescape(line) for line in lines(HOSTILE, 300)).replace(" ", "") == (
        html.unescape(HOSTILE).replace(" ", "")
    )
    assert all("<" not in line for line in lines(HOSTILE, 300))
    assert lines("<b>bold and long enough to be broken</b>", 40) == [
        "<b>bold and long enough to be broken</b>"
    ]
    tops = page.evaluate("[...document.querySelectorAll('.figure')].map(f => f._fullLayout.margin.t)")
    assert all(low < 300 for low in tops)
    assert all(a != b for a, b in pairwise(tops)), "as high as their own titles"
