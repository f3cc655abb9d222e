"""One look in light and in dark: themes change the template alone, and what is drawn shows on both."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

from explorer.figures import DARK, LIGHT, themed
from explorer.figures.theme import ACCENT, CATEGORIES, CONTRAST, SCALE, Palette, template


def test_themes_change_the_template_and_nothing_else() -> None:
    figure = go.Figure(
        [
            go.Scatter(x=[1, 2], y=[3, 4], marker={"color": ACCENT}, customdata=[["a"], ["b"]]),
            go.Scattergl(x=[1, 2], y=[4, 3], marker={"size": [5, 9], "line": {"width": 1}}),
            go.Bar(x=["one", "two"], y=[1, 2], name="bars"),
        ],
        layout={"title": {"text": "title"}, "xaxis": {"type": "log"}, "height": 321},
    )
    light, dark = themed(go.Figure(figure), LIGHT), themed(go.Figure(figure), DARK)
    assert light.layout.template.layout.font.color == LIGHT.text
    assert dark.layout.template.layout.font.color == DARK.text
    assert light.data == dark.data == figure.data
    for copy in (light, dark):
        kept = copy.layout.to_plotly_json()
        del kept["template"]
        assert kept == {
            key: value for key, value in figure.layout.to_plotly_json().items() if key != "template"
        }


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_text_is_legible_and_drawn_colours_show(palette: Palette) -> None:
    assert contrast(palette.text, palette.background) > 12
    assert contrast(palette.text, palette.surface) > 12
    assert contrast(palette.muted, palette.background) > 4.5
    for colour in (ACCENT, CONTRAST, *CATEGORIES):
        assert contrast(colour, palette.background) > 2.0, colour
    for colour in SCALE[1:-1]:
        assert contrast(colour, palette.background) > 1.8, colour


def test_the_scale_grows_lighter_and_no_colour_comes_twice() -> None:
    shades = [luminance(colour) for colour in SCALE]
    assert shades == sorted(shades)
    assert len({*SCALE}) == len(SCALE)
    assert len({*CATEGORIES}) == len(CATEGORIES)


def test_the_template_holds_every_colour_of_its_palette() -> None:
    made = template(DARK)
    assert made.layout.font.color == DARK.text
    assert made.layout.xaxis.gridcolor == made.layout.yaxis.gridcolor == DARK.grid
    assert made.layout.legend.font.color == DARK.muted
    assert made.layout.hoverlabel.bgcolor == DARK.surface
    assert tuple(made.layout.colorway) == CATEGORIES
    assert made.data.scatter[0].marker.line.color == DARK.background
