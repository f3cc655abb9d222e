"""Points look by any column: colours, symbols, sizes and panels are those of their values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.chart import Scale, Words
from explorer.figures.front_chart import front_chart
from explorer.figures.front_looks import MOST_PANELS, pseudo_title
from explorer.figures.front_marks import CHANCE, RANK, READING
from explorer.results.columns import Columns
from tests.explorer.figures.clouds import cloud_table
from tests.explorer.figures.test_front_chart import WISHES, drawn, marks_here, points


@pytest.mark.parametrize(
    ("name", "kind"), [("objective.name", Words), ("objective.lam", Scale), (RANK, Scale)]
)
def test_colour_is_a_scale_of_numbers_or_words(name: str, kind: type) -> None:
    chart, _ = drawn(replace(WISHES, colour=name))
    assert isinstance(chart.colour, kind)
    if isinstance(chart.colour, Words):
        codes = {int(c) for layer in points(chart) for c in layer.colour}
        assert codes == set(range(len(chart.colour.words)))


def test_panels_hold_what_they_say_and_are_not_too_many() -> None:
    chart, marks = drawn(replace(WISHES, panel="objective.name", symbol="objective.name"))
    assert [panel.title for panel in chart.panels] == ["objective.name kl", "objective.name pr"]
    assert sum(len(layer.x) for layer in points(chart)) == len(marks)
    assert chart.symbols is not None
    assert list(chart.symbols.words) == ["kl", "pr"]
    columns = Columns(cloud_table(configurations=30, seeds=1))
    many = front_chart(marks_here(columns), columns.finished, replace(WISHES, panel="objective.lam"))
    assert len(many.panels) == MOST_PANELS
    assert many.panels[-1].title == "λ 22 others"


def test_a_panel_per_stretch_of_a_metric() -> None:
    columns = Columns(cloud_table(configurations=30, seeds=1))
    chart = front_chart(marks_here(columns), columns.finished, replace(WISHES, panel="fid"))
    assert 2 <= len(chart.panels) <= 4


def test_sizes_and_chances_are_numbers_of_the_points() -> None:
    chart, _ = drawn(replace(WISHES, size="fid", colour=CHANCE))
    assert chart.sizes is not None
    assert all(isinstance(layer.radius, np.ndarray) for layer in points(chart))
    assert isinstance(chart.colour, Scale)
    assert (chart.colour.low, chart.colour.high) == (0.0, 1.0)


def test_titles_of_points_own_columns() -> None:
    columns = Columns(cloud_table())
    assert [pseudo_title(columns, name) for name in (READING, CHANCE, "fid")] == [
        "Reading",
        "P(front)",
        "FID",
    ]
