"""The reproduced figures as one page: each under its title, with its paper, its place and its caption."""

from __future__ import annotations

import plotly.graph_objects as go

from explorer.reproduce.page import page
from explorer.reproduce.record import Compared, Panel, Reproduction, Table


def _entry(name: str) -> Reproduction:
    return Reproduction(
        name, "Someone, Something, 2020", f"Figure {name}, page 7", f"What {name} shows", list
    )


def _panel(caption: str) -> Panel:
    return Panel(go.Figure(go.Scatter(x=[0, 1], y=[1, 0])), caption)


def test_a_single_figure_gives_the_page_its_title() -> None:
    document = page([(_entry("a-1"), [_panel("left"), _panel("right")])])
    assert "<title>What a-1 shows</title>" in document
    assert "<h1>What a-1 shows</h1>" in document
    assert "<h2" not in document
    assert "Someone, Something, 2020. Figure a-1, page 7." in document
    assert document.index(">left</p>") < document.index(">right</p>")
    assert document.count('class="figure"') == 2
    assert "<code>tradeoff reproduce</code>" in document


def test_several_figures_get_a_heading_each_that_can_be_linked_to() -> None:
    document = page([(_entry(name), [_panel(f"of {name}")]) for name in ("a-1", "b-2")])
    assert "<h1>Figures, computed again</h1>" in document
    for name in ("a-1", "b-2"):
        assert f'<h2 id="{name}">What {name} shows</h2>' in document
        assert f"Figure {name}, page 7." in document
    assert document.index("of a-1") < document.index('id="b-2"') < document.index("of b-2")
    assert document.count("plotly.js v") == 1


def test_captions_are_text() -> None:
    document = page([(_entry("a-1"), [_panel("p < q & <script>alert(1)</script>")])])
    assert "p &lt; q &amp; &lt;script&gt;alert(1)&lt;/script&gt;" in document


def test_printed_numbers_stand_beside_ours() -> None:
    panel = Panel(go.Figure(go.Scatter(x=[0], y=[1])), "left", [Compared("acceptance", "45%", "44.8%")])
    document = page([(_entry("a-1"), [panel])])
    assert "<th>printed</th><th>computed here</th>" in document
    assert "<td>acceptance</td><td>45%</td><td>44.8%</td>" in document


def test_a_table_has_what_is_printed_below_our_values() -> None:
    table = Table(("", "precision", "time"), {"OBRS": [("97.0", "92.5"), ("0.1", "")]})
    document = page([(_entry("a-1"), [Panel(go.Figure(go.Scatter(x=[0], y=[1])), "left", table=table)])])
    assert "<th></th><th>precision</th><th>time</th>" in document
    ours = '<td>OBRS</td><td class="value">97.0<small>printed: 92.5</small></td><td class="value">0.1</td>'
    assert ours in document


def test_what_could_not_be_computed_is_told() -> None:
    document = page([(_entry("a-1"), [_panel("left")])], {"b-2": "its sweep is not there; run it"})
    assert "b-2: its sweep is not there; run it" in document


def test_several_figures_are_followed_by_the_table_of_all_and_one_is_not() -> None:
    several = page([(_entry(name), [_panel(f"of {name}")]) for name in ("thesis-4.1", "b-2")])
    assert several.index("of b-2") < several.index('<h2 id="printed">')
    assert '<a href="#thesis-4.1">Figure 4.1</a>' in several
    assert 'href="#thesis-4.2"' not in several
    assert 'id="printed"' not in page([(_entry("thesis-4.1"), [_panel("alone")])])
