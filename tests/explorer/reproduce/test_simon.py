"""Modes invented, dropped, and both: the corners are the shares of the common modes."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.simon import CASES
from tests.explorer.reproduce.built import built


def _sets():
    found = [t for t in built("simon-1")[0].figure.data if t.name == "pairs attained"]
    assert len(found) == len(CASES) == 3
    return found


def test_inventing_costs_precision_alone_and_dropping_recall_alone() -> None:
    """The caption in print: partial precision and full recall; full precision and partial recall."""
    invented, dropped, both = ((max(t.x), max(t.y)) for t in _sets())
    assert invented == pytest.approx((0.6, 1), abs=0.01)
    assert dropped == pytest.approx((1, 0.6), abs=0.01)
    assert both == pytest.approx((0.75, 0.8), abs=0.01)


def test_equal_weights_give_rectangles_and_others_a_trade_off() -> None:
    for (_, real, model), drawn in zip(CASES, _sets(), strict=True):
        area = np.trapezoid(np.asarray(drawn.y), np.asarray(drawn.x))
        corner = max(drawn.x) * max(drawn.y)
        shared = [place for place in real if place in model]
        ratios = {round(real[place] / model[place], 6) for place in shared}
        assert area == pytest.approx(corner, abs=0.02) if len(ratios) == 1 else area < corner - 0.1


def test_each_law_has_the_modes_it_is_said_to_have() -> None:
    laws = [t for t in built("simon-1")[0].figure.data if t.name in "PQ"]
    for (_, real, model), (p, q) in zip(CASES, zip(laws[::2], laws[1::2], strict=True), strict=True):
        for modes, drawn in ((real, p), (model, q)):
            assert np.trapezoid(drawn.y, drawn.x) == pytest.approx(1, abs=1e-2)
            peak = drawn.x[int(np.argmax(drawn.y))]
            assert modes[min(modes, key=lambda place: abs(place - peak))] == max(modes.values())
