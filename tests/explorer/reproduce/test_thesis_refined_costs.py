"""Refinements by cost: curves rise, OBRS is ahead of DRS at every rate, and calls for a precision are interpolated."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from explorer.reproduce.thesis_refined_costs import SHARES, _calls_for
from tests.explorer.reproduce.built import built
from trainables.refinements.obrs import Obrs
from trainables.studies.refined_sets import SET, Spread
from trainables.studies.table_61 import Line, Row

NONE = Spread(0.0, 0.0, 0.0)


def _line(calls: float, precision: float) -> Line:
    shares = [Spread(value, 0.0, 0.0) for value in (precision, 1.0, calls * SET)]
    return Line(Row("x", Obrs()), 1, *shares, NONE, NONE, 1.0, 0.1)


def test_calls_for_a_precision_lie_between_budgets() -> None:
    lines = [_line(2, 0.5), _line(4, 0.7), _line(8, 0.95)]
    assert _calls_for(lines, 0.6) == pytest.approx(3)
    assert _calls_for(lines, 0.9) == pytest.approx(7.2)
    assert _calls_for(lines, 0.4) == 2
    assert _calls_for(lines, 0.99) == inf
    assert _calls_for([replace(lines[0], precision=Spread(1.0, 0.0, 0.0))], 0.9) == 2


def test_obrs_takes_the_fewest_calls_for_a_precision() -> None:
    numbers = built("thesis-6.8")[0].numbers
    assert [one.what.split(", ")[1] for one in numbers] == ["DRS", "MH-GAN", "DOT", "DGflow"]
    for one in numbers:
        assert float(one.computed.removeprefix("not with ").split(" times")[0]) > 1.03, one


def test_precision_rises_with_cost_where_draws_are_chosen_from() -> None:
    figure = built("thesis-6.8")[0].figure
    for name in ("OBRS", "DRS", "MH-GAN"):
        precision = next(t for t in figure.data if t.name == name)
        assert precision.y[-1] > 97
        assert (np.diff(precision.y) > -1.5).all()  # one set each: a deviation is up to 1 %


def test_obrs_is_ahead_at_every_rate() -> None:
    (panel,) = built("thesis-6.9")
    obrs, drs = panel.figure.data[:2]
    assert (obrs.name, drs.name) == ("OBRS", "DRS")
    for trace in (obrs, drs):
        np.testing.assert_allclose(trace.x, SHARES, atol=0.012)
    lead = np.array(obrs.y) - np.array(drs.y)
    assert lead[0] == 0
    assert (lead[1:] >= -0.05).all()
    assert lead.max() > 3
    assert panel.numbers[1].computed == f"{lead.max():.1f} points"
