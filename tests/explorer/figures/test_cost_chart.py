"""The front at equal cost, drawn."""

import numpy as np
import pytest

from explorer.figures.chart import Line, Points
from explorer.figures.cost_chart import cost_chart
from explorer.pareto.equal_cost import affordable
from explorer.results.columns import Columns


@pytest.fixture
def columns(two_methods):
    return Columns(two_methods)


def drawn(columns, limit):
    rows = np.ones(len(columns), dtype=bool)
    front, plain = (affordable(columns, rows, most) for most in (limit, 1.0))
    return front, cost_chart(columns, front, plain, "recall", "precision")


def test_every_pair_of_the_front_lies_where_its_reading_does(columns):
    front, chart = drawn(columns, 3.0)
    (points,) = [layer for layer in chart.layers if isinstance(layer, Points)]
    for i, (row, reading) in enumerate(zip(front.rows, front.readings, strict=True)):
        metrics = columns.trials[row].at(columns.readings[reading])
        assert points.x[i] == metrics["recall"]
        assert points.y[i] == metrics["precision"]
        assert chart.keys[points.key[i]] == columns.ids[row]
        assert points.colour[i] == reading
    assert len(set(chart.keys)) == len(chart.keys)
    assert len(set(front.readings.tolist())) > 1


def test_the_model_as_it_is_stays_for_comparison(columns):
    _, chart = drawn(columns, 3.0)
    names = [layer.name for layer in chart.layers if isinstance(layer, Line)]
    assert names == ["K = 1", "at most 3"]


def test_a_card_says_at_which_readings_a_trial_is_there(columns):
    front, chart = drawn(columns, 4.0)
    (row,) = chart.card.rows
    told = dict(zip(chart.keys, row.values, strict=True))
    for identity, words in told.items():
        readings = front.readings[front.rows == columns.row_of[identity]]
        assert words == ", ".join(columns.table.words(columns.readings[i]) for i in readings)
