"""The page's own look: a style sheet without data, and pieces of HTML whose text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from explorer.figures import DARK, LIGHT, Palette
from explorer.html import Markup, tag
from explorer.results.naming import cut

__all__ = [
    "PLOT_CONFIG",
    "card",
    "cards",
    "chip",
    "definition_list",
    "markdown_safe",
    "palette",
    "style_sheet",
]

PLOT_CONFIG = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
    "toImageButtonOptions": {"format": "png", "scale": 2, "filename": "tradeoff"},
}

# Tones are mixed from the text colour, so light and dark need no second sheet.
STYLE = """
.block-container { padding: 4.2rem 2.5rem 4rem; max-width: 1500px; }
@media (max-width: 640px) {
  .block-container { padding: 4rem 1rem 3rem; }
  .tx-title + .tx-lead { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  /* On a phone the plot comes first: what stands above it goes below. */
  :has(> .st-key-top), :has(> .st-key-ways) { order: 1; }
  :has(> .st-key-below) { order: 2; }
  :has(> .st-key-foot) { order: 3; }
}
[data-testid="stMarkdownContainer"] hr { margin: 0.75rem 0; }
.st-key-plain-history { display: none; }
.st-key-picks button { padding: 0.1rem 0.75rem; min-height: 2rem; }
[data-testid="stSidebar"] .block-container { padding-top: 1rem; }
[data-testid="stHeader"] { background: transparent; }
.tx-title { font-size: 1.75rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.2; margin: 0; }
.tx-lead { opacity: 0.65; margin: 0.15rem 0 0; font-size: 0.98rem; overflow-wrap: anywhere; }
.tx-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 0.75rem; }
.tx-card { border: 1px solid color-mix(in srgb, currentColor 13%, transparent); border-radius: 12px;
  padding: 0.75rem 1rem 0.7rem; background: color-mix(in srgb, currentColor 2.5%, transparent); min-width: 0; }
.tx-card b { display: block; font-size: 1.55rem; font-weight: 620; letter-spacing: -0.015em; line-height: 1.25;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.tx-card span { font-size: 0.8rem; opacity: 0.62; display: block; overflow-wrap: anywhere; }
.tx-card .tx-label { opacity: 0.75; font-weight: 560; }
.tx-chip { display: inline-block; border-radius: 999px; padding: 0.05rem 0.6rem; font-size: 0.78rem; font-weight: 560;
  background: color-mix(in srgb, currentColor 9%, transparent); margin-left: 0.4rem; vertical-align: 2px; }
.tx-chip.good { background: rgba(59, 125, 216, 0.16); color: #3b7dd8; }
.tx-chip.live { background: rgba(0, 158, 115, 0.16); color: #009e73; letter-spacing: 0; vertical-align: 5px; }
.tx-chip.live::before { content: "●"; margin-right: 0.35rem; animation: tx-pulse 2s ease-in-out infinite; }
@keyframes tx-pulse { 50% { opacity: 0.25; } }
.tx-chip.bad { background: rgba(213, 94, 0, 0.16); color: #d55e00; }
.tx-head { font-size: 1.1rem; font-weight: 620; margin: 0; overflow-wrap: anywhere; }
.tx-head code { font-size: 1rem; background: none; padding: 0; color: inherit; }
.tx-dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: 0.18rem 1rem;
  margin: 0 !important; padding: 0 !important;
  font-size: 0.88rem; }
.tx-dl dt { opacity: 0.62; margin: 0; padding: 0; font-weight: 400; overflow-wrap: anywhere; }
.tx-dl dd { margin: 0; font-weight: 520; overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
  max-height: 4.5rem; overflow-y: auto; }
.tx-table { width: 100%; border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
.tx-table th { text-align: right; font-weight: 560; opacity: 0.62; padding: 0.28rem 0.5rem; }
.tx-table td { text-align: right; padding: 0.32rem 0.5rem;
  border-top: 1px solid color-mix(in srgb, currentColor 10%, transparent); }
.tx-table th:first-child, .tx-table td:first-child { text-align: left; padding-left: 0; }
.tx-table tr.on td { font-weight: 620; }
.tx-table td small { display: block; opacity: 0.6; font-size: 0.76rem; font-weight: 400; white-space: nowrap; }
.tx-wide { overflow-x: auto; }
.tx-hash { opacity: 0.55; font-size: 0.82rem; margin: 0.1rem 0 0.2rem; overflow-wrap: anywhere; }
.tx-chips { margin: 0.1rem 0 0.3rem -0.4rem; }
.tx-empty { max-width: 620px; margin: 9vh auto 0; }
.tx-empty pre { border-radius: 10px; padding: 0.8rem 1rem;
  background: color-mix(in srgb, currentColor 6%, transparent); }
.tx-hint { opacity: 0.62; font-size: 0.92rem; padding: 1rem 0; }
"""


def style_sheet() -> None:
    """Put the style sheet on the page."""
    st.html(f"<style>{STYLE}</style>")


def palette() -> Palette:
    """Colours of the theme the reader has chosen."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def card(label: str, value: str, note: str = "") -> Markup:
    """One headline number."""
    return tag(
        "div", tag("span", label, class_="tx-label"), tag("b", value), tag("span", note), class_="tx-card"
    )


def cards(items: Sequence[Markup]) -> Markup:
    """A row of headline numbers."""
    return tag("div", *items, class_="tx-cards")


def chip(label: str, kind: str = "") -> Markup:
    """A small rounded label."""
    return tag("span", label, class_=f"tx-chip {kind}".strip())


def definition_list(rows: Sequence[tuple[str, str]]) -> Markup:
    """Names and values in two columns."""
    return tag(
        "dl",
        *(tag(kind, word) for row in rows for kind, word in zip(("dt", "dd"), row, strict=True)),
        class_="tx-dl",
    )


def markdown_safe(text: str, length: int = 60) -> str:
    """Text for places where Streamlit reads Markdown (labels, messages): nothing in it is formatting.

    Dots and underscores inside words stay bare: they format nothing, and screen readers hear the label as it is.
    """
    line = "".join(c if c.isprintable() else " " for c in cut(text, length))
    line = re.sub(r"([\\`*{}\[\]<>#!|~$:&]|(?<!\w)_|_(?!\w)|(?<=www)\.)", r"\\\1", line, flags=re.IGNORECASE)
    return re.sub(r"^(\s*\d*)([-+=.)])", r"\1\\\2", line)
