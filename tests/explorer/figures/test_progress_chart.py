"""Charts of a front that grows."""

import numpy as np
import pytest

from explorer.figures.chart import Line, Points
from explorer.figures.progress_chart import growth_chart, replay_chart, time_unit
from explorer.pareto.corner import corner_of
from explorer.pareto.progress import Progress
from explorer.results.columns import Columns


@pytest.fixture
def columns(table):
    return Columns(table)


@pytest.fixture
def progress(columns):
    """Trials that finish a minute after each other, the last one first."""
    moments = 60.0 * np.arange(len(columns), 0, -1)
    return Progress.of(moments, columns.goals(), corner_of(columns))


def test_the_hypervolume_goes_up_in_steps_to_that_of_all(columns, progress):
    chart = growth_chart(progress)
    (line,) = [layer for layer in chart.layers if isinstance(layer, Line)]
    assert (np.diff(line.y) >= -1e-12).all()
    assert (np.diff(line.x) >= 0).all()
    assert line.x[-1] == len(columns)
    assert line.y[-1] == progress.volumes[-1]
    # A step keeps the value until the next trial comes.
    assert line.y[1] == line.y[0]
    assert line.x[1] == line.x[2] or len(line.x) < 4


def test_the_ring_is_where_the_replay_is(progress):
    reached = int(progress.finished[1])
    ring = growth_chart(progress, reached).layers[-1]
    assert isinstance(ring, Points)
    assert ring.x[0] == reached
    assert ring.y[0] == progress.volumes[1]
    timed = growth_chart(progress, reached, by_time=True).layers[-1]
    assert timed.x[0] == pytest.approx(progress.moments[1] / time_unit(float(progress.moments[-1]))[0])


def test_the_replay_shows_the_first_trials_and_their_front(columns, progress):
    chart = replay_chart(columns, progress, 4, "recall", "precision")
    assert list(chart.keys) == [columns.ids[row] for row in progress.order[:4]]
    shown = {
        chart.keys[key]: layer.name
        for layer in chart.layers
        if isinstance(layer, Points) and layer.name != "the newest"
        for key in layer.key
    }
    best = {columns.ids[row] for row in np.flatnonzero(progress.front_at(4))}
    assert {identity for identity, name in shown.items() if name == "on the front"} == best
    assert len(shown) == 4
    whole = replay_chart(columns, progress, len(columns), "recall", "precision")
    assert (whole.x.low, whole.y.high) == (chart.x.low, chart.y.high)


def test_of_nothing_there_is_an_empty_chart(columns):
    nothing = Progress.of(np.full(len(columns), np.nan), columns.goals(), corner_of(columns))
    assert len(growth_chart(nothing, 0).layers) == 1
    assert replay_chart(columns, nothing, 0, "recall", "precision").keys == []


@pytest.mark.parametrize(
    ("seconds", "word"),
    [(5, "seconds"), (600, "minutes"), (20_000, "hours"), (400_000, "days"), (0, "seconds")],
)
def test_time_is_told_in_a_unit_that_suits_it(seconds, word):
    assert time_unit(seconds)[1] == word
