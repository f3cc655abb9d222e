"""Tables of pinned trials: what is unlike the first, means with their seeds, the best in bold."""

from __future__ import annotations

import math

import pytest

from app.views.compare_table import _estimate, _value
from explorer.pareto.comparison import Estimate


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Estimate(0.5, 0.4, 0.6, 3), "0.500 ± 0.100<small"),
        (Estimate(0.5, 0.45, 0.6, 1), "0.500 (0.450 – 0.600)</td>"),
        (Estimate(0.5, math.nan, math.nan, 1), "<td>0.500</td>"),
        (Estimate(math.nan, math.nan, math.nan, 0), "<td>–</td>"),
    ],
)
def test_a_cell_tells_how_sure_it_is(cell: Estimate, text: str) -> None:
    assert text in _estimate(cell, best=False)
    assert "<b>" not in _estimate(cell, best=False)
    assert "<b>" in _estimate(cell, best=True)


def test_values_unlike_the_first_are_bold_and_text() -> None:
    first = {"a": 1, "b": "<i>"}
    assert _value(first, "a", first) == "<td>1</td>"
    assert _value({"a": 2}, "a", first) == "<td><b>2</b></td>"
    assert _value({}, "a", first) == "<td><b>–</b></td>"
    assert _value(first, "b", first) == "<td>&lt;i&gt;</td>"
