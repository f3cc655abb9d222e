"""The frame of every page we write: one file, plotly inside, light or dark as the reader's system is."""

from __future__ import annotations

import json
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from explorer.figures import DARK, LIGHT, Palette, template
from explorer.html.fitting import FITTING
from explorer.html.markup import Markup, tag

__all__ = ["POLICY", "Page"]

STYLE = """
:root { color-scheme: light dark; --accent: #3b7dd8; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
  background: var(--background); color: var(--text); }
main { max-width: 1080px; margin: 0 auto; padding: 56px 28px 80px; }
h1 { font-size: 2.1rem; letter-spacing: -0.022em; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; letter-spacing: -0.012em; margin: 56px 0 6px; }
p { margin: 0 0 12px; max-width: 74ch; overflow-wrap: anywhere; }
a { color: var(--accent); }
.muted { color: var(--muted); }
.kicker { color: var(--accent); font-weight: 600; font-size: 0.86rem; margin-bottom: 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 12px; margin: 28px 0 12px; }
.card { background: var(--surface); border: 1px solid var(--grid); border-radius: 12px;
  padding: 14px 18px; min-width: 0; }
.card b { display: block; font-size: 1.45rem; font-weight: 620; letter-spacing: -0.015em; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.card span { color: var(--muted); font-size: 0.84rem; display: block; overflow-wrap: anywhere; }
.figure { margin: 18px -6px 0; overflow-x: auto; overflow-y: hidden; }
.gallery { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 14px; margin-top: 14px; }
.gallery .figure { margin: 0; padding: 8px; background: var(--surface); border: 1px solid var(--grid);
  border-radius: 12px; box-sizing: content-box; }
.gallery figure { margin: 0; padding: 12px; background: var(--surface); border: 1px solid var(--grid);
  border-radius: 12px; }
.gallery img { width: 100%; border-radius: 6px; background: #fff; }
main > img { max-width: 100%; border-radius: 12px; background: #fff; }
figcaption { font-size: 0.92rem; margin-bottom: 8px; overflow-wrap: anywhere; }
figcaption span { color: var(--muted); display: block; font-size: 0.86rem; }
.gallery:has(img) { grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); }
.scroll { overflow-x: auto; margin-top: 14px; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 560; color: var(--muted); padding: 7px 12px; white-space: nowrap; }
td { padding: 7px 12px; border-top: 1px solid var(--grid); max-width: 260px; overflow-wrap: break-word; }
td code { white-space: nowrap; }
th.n, td.n { text-align: right; }
th:first-child, td:first-child { padding-left: 0; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
pre { background: var(--surface); border: 1px solid var(--grid); border-radius: 12px;
  padding: 16px 18px; overflow-x: auto; }
summary { cursor: pointer; font-weight: 600; }
.mark { display: inline-block; min-width: 1.5em; padding: 0 0.35em; border-radius: 6px;
  color: #fff; text-align: center; }
.card.run .mark { display: inline-block; font-size: 0.92rem; margin-right: 8px; }
.card.run div span { display: inline; }
.card .who { margin: 8px 0 2px; font-weight: 600; }
.card img { margin-top: 10px; width: 96px; border-radius: 6px; background: #fff; }
td.strip { min-width: 230px; padding: 4px 6px; }
td.strip svg { display: block; }
td.value { white-space: nowrap; }
td.value small { display: block; color: var(--muted); }
td.value small.better { color: light-dark(#137a3f, #4cc38a); font-weight: 600; }
td.value small.worse { color: light-dark(#c2382e, #ff8a7a); font-weight: 600; }
@media (max-width: 640px) {
  .measured tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(96px, 1fr)); }
  .measured td { padding: 4px 8px 4px 0; border: 0; }
  .measured td:first-child { grid-column: 1 / -1; border-top: 1px solid var(--grid); padding-top: 10px; }
  .measured th:first-child, .measured th:nth-child(2) { display: none; }
  .measured td.strip { grid-column: 1 / -1; }
  td.value small { white-space: normal; }
}
footer { margin-top: 64px; color: var(--muted); font-size: 0.86rem; }
@media print { details { display: none; } main { padding: 0; } }
"""

# Figures wait as JSON beside their place; one template per scheme is swapped in, also when the system changes.
SCRIPT = """
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const templates = { light: read('template-light'), dark: read('template-dark') };
const config = { displaylogo: false, responsive: true,
  modeBarButtonsToRemove: ['select2d', 'lasso2d', 'autoScale2d', 'zoomIn2d', 'zoomOut2d'] };
function draw() {
  const template = templates[dark.matches ? 'dark' : 'light'];
  for (const place of document.querySelectorAll('.figure')) {
    const { data, layout } = fitted(read('data-' + place.id), template, place.clientWidth);
    place.style.minHeight = `${layout.height}px`;
    Plotly.newPlot(place, data, layout, config);  // anew: a bar that was turned would leave its old parts behind
  }
}
let drawn = 0;
function redraw() {
  if (window.innerWidth === drawn) return;
  drawn = window.innerWidth;
  draw();
}
redraw();
dark.addEventListener('change', draw);
window.addEventListener('resize', redraw);
"""


POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:"
)


class Page:
    """Collects parts and figures, and writes them as one HTML document."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[Markup] = []
        self._figures = 0

    def add(self, *parts: Markup) -> None:
        """Append parts in order."""
        self._parts += parts

    def figure(self, figure: go.Figure) -> Markup:
        """A place for a figure, its data beside it; the template is left out, the page brings its own."""
        copy = go.Figure(figure)
        copy.update_layout(template=None)
        self._figures += 1
        identity = f"figure-{self._figures}"
        place = tag("div", class_="figure", id=identity, style=f"min-height: {copy.layout.height or 400}px")
        return place + _data(f"data-{identity}", copy.to_json())

    def drawing(self) -> list[Markup]:
        """What draws the figures, to stand behind their places; nothing where there is none."""
        if not self._figures:
            return []
        return [
            Markup(f"<script>{get_plotlyjs()}</script>"),
            *(
                _data(f"template-{palette.name}", json.dumps(template(palette).to_plotly_json()))
                for palette in (LIGHT, DARK)
            ),
            Markup(f"<script>{FITTING}{SCRIPT}</script>"),
        ]

    def html(self) -> str:
        """The document; plotly comes along if there is a figure to draw."""
        head = [
            Markup('<meta charset="utf-8">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            # Nothing is fetched: whatever a hostile value smuggled in could not call home.
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            tag("title", self._title),
            Markup(f"<style>{_colours(LIGHT, DARK)}{STYLE}</style>"),
        ]
        body = [tag("main", *self._parts), *self.drawing()]
        return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', *body), lang='en')}\n"


def _data(identity: str, json_text: str) -> Markup:
    """JSON inside a script element, where only ``<`` could end it: escaped as JSON itself allows."""
    harmless = json_text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(f'<script type="application/json" id="{identity}">{harmless}</script>')


def _colours(light: Palette, dark: Palette) -> str:
    def variables(p: Palette) -> str:
        names: Sequence[str] = ("background", "surface", "text", "muted", "grid")
        return ":root { " + " ".join(f"--{name}: {getattr(p, name)};" for name in names) + " }"

    return f"{variables(light)}\n@media (prefers-color-scheme: dark) {{ {variables(dark)} }}"
