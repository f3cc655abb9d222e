"""The chart of a front: every point once, the front in full, others faded, all explained."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from explorer.figures.chart import Chart, Points, Scale, Words
from explorer.figures.front_chart import FrontWishes, front_chart
from explorer.figures.front_marks import READING, Marks, marks_of
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.figures.clouds import TWO, cloud_table

WISHES = FrontWishes("recall", "precision", "fid", PLAIN, path=(PLAIN, TWO))


def marks_here(columns: Columns, ats: tuple = (PLAIN,), seeds: bool = False) -> Marks:
    return marks_of(columns, columns.finished, "recall", "precision", ats, seeds)


def drawn(wishes: FrontWishes = WISHES, **how) -> tuple[Chart, Marks]:
    columns = Columns(cloud_table())
    marks = marks_here(columns, **how)
    return front_chart(marks, columns.finished, wishes), marks


def points(chart: Chart) -> list[Points]:
    every = [*chart.layers, *(layer for panel in chart.panels for layer in panel.layers)]
    return [layer for layer in every if isinstance(layer, Points) and layer.key is not None]


def test_every_point_is_there_once_under_its_trial() -> None:
    chart, marks = drawn()
    faded, front = points(chart)
    assert faded.opacity < front.opacity == 1
    keys = [chart.keys[key] for layer in (faded, front) for key in layer.key]
    assert sorted(keys) == sorted(marks.columns.ids[row] for row in marks.row)
    assert {chart.keys[key] for key in front.key} == {marks.columns.ids[r] for r in marks.row[marks.front]}
    assert chart.card is not None
    assert len(chart.card.headings) == len(chart.keys)
    assert chart.card.headings[0].startswith("λ ")
    assert "3 seeds" in chart.card.notes[0]
    assert {"Precision", "Recall", "FID", "P(front)", "Rank"} <= {row.title for row in chart.card.rows}
    assert "on the front" in chart.alt


def test_scales_do_not_move_with_the_budget() -> None:
    columns = Columns(cloud_table())
    first = front_chart(marks_here(columns), columns.finished, WISHES)
    second = front_chart(marks_here(columns, (TWO,)), columns.finished, replace(WISHES, at=TWO))
    assert isinstance(first.colour, Scale)
    assert isinstance(second.colour, Scale)
    assert (first.x.low, first.x.high, first.colour.low, first.colour.high) == (
        second.x.low,
        second.x.high,
        second.colour.low,
        second.colour.high,
    )
    assert not np.array_equal(points(first)[1].y, points(second)[1].y)


def test_dominated_points_can_be_left_out() -> None:
    chart, marks = drawn(replace(WISHES, dominated=False))
    assert sum(len(layer.x) for layer in points(chart)) == int(marks.front.sum())


def test_readings_can_be_told_apart() -> None:
    chart, marks = drawn(replace(WISHES, colour=READING), ats=(PLAIN, TWO))
    assert isinstance(chart.colour, Words)
    assert list(chart.colour.words) == ["K = 1", "K = 2"]
    assert sum(len(layer.x) for layer in points(chart)) == len(marks) == 12
    assert "every reading" in chart.subtitle


def test_the_selected_trial_is_ringed_through_its_configuration() -> None:
    columns = Columns(cloud_table())
    for identity in ("t20", "t21", "t22"):
        chart = front_chart(marks_here(columns), columns.finished, replace(WISHES, selected=identity))
        (key,) = chart.selected
        assert columns.configurations[columns.row_of[key]] == 2


def test_another_sweep_beside_it_has_keys_of_its_own() -> None:
    columns, others = Columns(cloud_table()), Columns(cloud_table(3, 2, 0.05))
    marks, beside = marks_here(columns), marks_here(others)
    wishes = replace(WISHES, beside={"other": beside}, label="cloud")
    chart = front_chart(marks, columns.finished, wishes)
    assert isinstance(chart.colour, Words)
    assert list(chart.colour.words) == ["cloud", "other"]
    told = [chart.keys[key] for layer in points(chart) for key in layer.key]
    assert sum(key.startswith("other/") for key in told) == 3
    assert chart.card is not None
    assert len(chart.card.headings) == len(chart.card.notes) == len(chart.keys)
    assert all(len(row.values) == len(chart.keys) for row in chart.card.rows)


def test_nothing_to_draw_is_drawn() -> None:
    columns = Columns(cloud_table())
    nobody = np.zeros(len(columns), dtype=np.bool_)
    marks = marks_of(columns, nobody, "recall", "precision", (PLAIN,), False)
    chart = front_chart(marks, nobody, WISHES)
    assert sum(len(layer.x) for layer in points(chart)) == 0
