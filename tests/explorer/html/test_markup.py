"""HTML is built from tags in which every value is escaped once."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from explorer.html import Markup, tag


@given(st.text())
def test_text_and_attributes_are_escaped(value: str) -> None:
    built = re.fullmatch(r'<p title="([^"\'<>]*)">([^"\'<>]*)</p>', tag("p", value, title=value))
    assert built is not None
    back = [part.replace("&#34;", '"').replace("&#39;", "'") for part in built.groups()]
    back = [part.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for part in back]
    assert back == [value, value]


def test_markup_is_not_escaped_twice() -> None:
    assert tag("p", tag("b", "1 < 2")) == "<p><b>1 &lt; 2</b></p>"


def test_names_that_python_reserves_take_an_underscore() -> None:
    assert tag("p", class_="muted", for_="x") == '<p class="muted" for="x"></p>'


def test_values_become_text_and_only_markup_passes_as_it_is() -> None:
    assert tag("td", 3, None, 0.5) == "<td>3None0.5</td>"
    assert tag("td", Markup("<b>"), "<b>") == "<td><b>&lt;b&gt;</td>"
    assert isinstance(tag("p"), Markup)
    assert tag("p") + "<b>" == "<p></p>&lt;b&gt;"  # what is joined to it is text, and escaped too
