"""A chart refuses points that stand for nobody."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.chart import SYMBOLS, Axis, Chart, Panel, Points


def test_a_key_beyond_the_keys_is_refused_also_in_a_panel() -> None:
    axis = Axis("x", 0.0, 1.0)
    points = Points(np.zeros(2), np.zeros(2), key=np.array([0, 1]))
    assert Chart(axis, axis, [points], keys=["a", "b"]).keys == ["a", "b"]
    with pytest.raises(ValueError, match=r"index below the 1 keys, got 1"):
        Chart(axis, axis, [points], keys=["a"])
    with pytest.raises(ValueError, match=r"index below the 0 keys"):
        Chart(axis, axis, [], panels=[Panel("p", [points])])


def test_every_kind_of_layer_says_what_it_is() -> None:
    assert Points(np.zeros(0), np.zeros(0)).kind == "points"
    assert len(set(SYMBOLS)) == 8
