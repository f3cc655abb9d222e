"""Save this page: what a run of a page drew, as one file that needs nobody."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import streamlit as st

from app.export import file_stem
from explorer.figures import DARK, LIGHT, Palette
from explorer.figures.chart import Chart
from explorer.html import Markup, tag

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["begin", "button", "keep", "page", "saved_page"]

STATE = "tradeoff-kept"

Part: TypeAlias = "Markup | Chart | go.Figure | Callable[[], Markup]"
"""HTML, a chart, a figure of Plotly, or what makes HTML when the page is saved."""

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"

STYLE = """
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
  background: var(--background); color: var(--text); overflow-wrap: anywhere; }
main { max-width: 1180px; margin: 0 auto; padding: 48px 24px 72px; display: grid; gap: 28px; }
main > * { min-width: 0; }
h1 { font-size: 1.9rem; letter-spacing: -0.02em; line-height: 1.2; margin: 0; }
img { max-width: 100%; }
.part { overflow-x: auto; }
.part table { overflow-wrap: break-word; }
.part pre { margin: 0; padding: 0.8rem 1rem; border-radius: 10px; overflow-x: auto; background: var(--surface); }
.tradeoff-chart { min-height: 120px; }
@media print { .tools { display: none !important; } main { padding: 0; } }
"""


@dataclass
class Kept:
    """Parts of a page in the order in which they were drawn; one that is drawn again takes its old place."""

    parts: dict[str, Part] = field(default_factory=dict)


def begin() -> None:
    """Forget what the last run drew."""
    st.session_state[STATE] = Kept()


def keep(part: Part, key: str | None = None) -> None:
    """Add a part of the page. A part of the same key is replaced; HTML is its own key."""
    name = (
        f"chart {key}"
        if isinstance(part, Chart) and key is not None
        else f"{type(part).__name__} {key or part}"
    )
    _kept().parts[name] = part


def page(title: str) -> str:
    """The page as drawn so far."""
    return saved_page(title, tuple(_kept().parts.values()))


def button(title: str) -> None:
    """A button that saves the page; the file is made when it is asked for, of all that the run has drawn by then."""
    kept = _kept()
    st.download_button(
        "Save this page",
        data=lambda: saved_page(title, tuple(kept.parts.values())).encode("utf-8", errors="replace"),
        file_name=f"{file_stem(title)}.html",
        mime="text/html",
        key="save-page",
        icon=":material/download:",
        on_click="ignore",
        help="One file with everything on this page; its charts stay alive, and nothing is loaded from anywhere.",
    )


def saved_page(title: str, parts: tuple[Part, ...]) -> str:
    """One HTML document: the title, and the parts in order; charts are drawn by the script inside. O(bytes).

    Light or dark as the reader's system is. Nothing is fetched: its policy forbids it.
    """
    # The chart's component keeps its charts here, so that this module is read before its packages are.
    from plotly.basedatatypes import BaseFigure

    from app.chart.packing import packed
    from app.chart.sources import page_script
    from app.style import STYLE as APP_STYLE
    from explorer.html.page import POLICY as PLOTLY_POLICY
    from explorer.html.page import Page

    figures, places = Page(title), []
    for i, part in enumerate(parts):
        if isinstance(part, Chart):
            places.append(_place(base64.b64encode(packed(part, f"chart-{i}")).decode("ascii")))
        elif isinstance(part, BaseFigure):
            places.append(figures.figure(part))
        else:
            places.append(tag("div", part() if callable(part) else part, class_="part"))
    drawing = figures.drawing()
    head = [
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(
            f'<meta http-equiv="Content-Security-Policy" content="{PLOTLY_POLICY if drawing else POLICY}">'
        ),
        tag("title", title),
        Markup(f"<style>{_colours()}{APP_STYLE}{STYLE}</style>"),
    ]
    body = [
        tag("main", tag("h1", title), *places),
        Markup(f"<script>{page_script()}</script>"),
        *drawing,
    ]
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def _place(data: str) -> Markup:
    """A place for a chart, its bytes inside: letters of base 64, among which nothing ends a script."""
    return Markup(f'<div class="tradeoff-chart"><script type="text/plain">{data}</script></div>')


def _colours() -> str:
    def variables(palette: Palette) -> str:
        names = ("background", "surface", "text", "muted", "grid")
        return ":root { " + " ".join(f"--{name}: {getattr(palette, name)};" for name in names) + " }"

    return f"{variables(LIGHT)}\n@media (prefers-color-scheme: dark) {{ {variables(DARK)} }}"


def _kept() -> Kept:
    if STATE not in st.session_state:
        begin()
    kept: Kept = st.session_state[STATE]
    return kept
