"""The front at equal cost, drawn."""

import numpy as np
import pytest

from explorer.figures.chart import Line, Points
from explorer.figures.cost_chart import cost_chart
from explorer.goals import parse_goals
from explorer.pareto.equal_cost import affordable
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At


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


def test_where_readings_are_many_colours_are_those_of_refinements():
    budgets, methods = (2.0, 3.0, 4.0), ("drs", "mh", "obrs")
    ats = [At(method, budget) for method in methods for budget in budgets]
    place = {"precision": 0.5, "recall": 0.5}
    readings = {PLAIN: place} | {
        at: {**place, "precision": 0.5 + i / 100, "draws": 2.0} for i, at in enumerate(ats)
    }
    trial = Trial("a" * 12, "r", "finished", {"seed": 0}, readings)
    columns = Columns(TrialTable("t", parse_goals({"precision": "max", "recall": "max"}), (trial,)))
    front, chart = drawn(columns, 4.0)
    (points,) = [layer for layer in chart.layers if isinstance(layer, Points)]
    assert chart.colour.words == ["as it is", "obrs", "drs", "mh"]
    assert [chart.colour.words[int(code)] for code in points.colour] == [
        columns.readings[i].method for i in front.readings
    ]
    assert len(set(chart.colour.colours)) == 4


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
