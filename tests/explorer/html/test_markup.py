"""HTML is built from tags in which every value is escaped once."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from explorer.html import Markup, tag, text


@given(st.text())
def test_text_and_attributes_are_escaped(value: str) -> None:
    built = tag("p", value, title=value)
    assert built == f'<p title="{html.escape(value)}">{html.escape(value)}</p>'
    assert html.unescape(text(value)) == value


def test_markup_is_not_escaped_twice() -> None:
    assert tag("p", tag("b", "1 < 2")) == "<p><b>1 &lt; 2</b></p>"


def test_names_that_python_reserves_take_an_underscore() -> None:
    assert tag("p", class_="muted", for_="x") == '<p class="muted" for="x"></p>'


def test_values_become_text_and_only_markup_passes_as_it_is() -> None:
    assert tag("td", 3, None, 0.5) == "<td>3None0.5</td>"
    assert text(Markup("<b>")) == "<b>"
    assert text("<b>") == "&lt;b&gt;"
    assert isinstance(tag("p"), Markup)
    assert not isinstance(tag("p") + "<b>", Markup)  # what is joined to it counts as text again
