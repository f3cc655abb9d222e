"""The front along a metric."""

import numpy as np
import pytest

from explorer.followup.stretch import front_line
from explorer.pareto import rank
from explorer.results.columns import Columns
from explorer.store.schema import At
from tests.app.conftest import store_uri
from tests.app.made_sweep import TWO_METHODS, read_table

__all__ = ["store_uri"]


@pytest.fixture(scope="module")
def columns(store_uri):
    """A seed per configuration, so that configurations are trials."""
    return Columns(read_table(store_uri, TWO_METHODS))


def test_it_is_the_front_in_order(columns):
    line = front_line(columns, "recall")
    assert list(line.values) == sorted(line.values)
    best = {columns.ids[row] for row, on in zip(line.rows, line.front, strict=True) if on}
    assert best == rank(columns.table).front
    for row, value in zip(line.rows, line.values, strict=True):
        assert columns.trials[row].metrics["recall"] == pytest.approx(value)


def test_at_another_reading_it_is_another(columns):
    at = At("obrs", 2.0)
    line = front_line(columns, "recall", at)
    assert list(line.values) == pytest.approx(sorted(t.at(at)["recall"] for t in columns.trials))


def test_gaps_are_between_neighbours_on_the_front_the_widest_first(columns):
    line = front_line(columns, "recall")
    widths = [high - low for low, high in line.gaps()]
    wanted = np.diff(line.on_front)
    assert widths == pytest.approx(sorted(wanted[wanted > 0], reverse=True))
    assert len(widths) > 1


def test_a_front_of_one_value_has_no_gap(columns):
    one = np.zeros(len(columns), dtype=bool)
    one[0] = True
    assert front_line(columns, "recall", rows=one).gaps() == []
    assert front_line(columns, "no such metric").values == ()
