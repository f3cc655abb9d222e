"""Colour by number is a bar on which dark is better, colour by word a legend; what has no value is grey."""

from __future__ import annotations

import math
import time

import pytest

from explorer.figures.colour import MOST_WORDS, colouring
from explorer.figures.columns import Column, column
from explorer.figures.theme import CATEGORIES, NEUTRAL
from explorer.results.table import TrialTable
from tests.app.made_sweep import SCRIPT


def words(*values: str | None) -> Column:
    return Column("kind", "Kind", values, numeric=False, log=False, direction=None)


def numbers(*values: float | None, direction=None, log: bool = False) -> Column:
    return Column("size", "Size", values, numeric=True, log=log, direction=direction)


def test_each_word_has_its_own_colour_and_absent_ones_are_grey() -> None:
    grey, *groups = colouring(words("b", "a", None, "b"), range(4)).groups
    assert (grey.rows, grey.colour, grey.name) == ((2,), NEUTRAL, "")
    assert [(g.name, g.rows) for g in groups] == [("a", (1,)), ("b", (0, 3))]
    assert [g.marker(g.rows) for g in groups] == [{"color": CATEGORIES[0]}, {"color": CATEGORIES[1]}]


def test_more_words_than_colours_begin_anew() -> None:
    many = len(CATEGORIES) + 1
    _, *groups = colouring(words(*(f"{i:02d}" for i in range(many))), range(many)).groups
    assert groups[0].colour == groups[-1].colour == CATEGORIES[0]


def test_numbers_lie_on_the_colour_axis_and_only_rows_asked_for_count() -> None:
    colours = colouring(numbers(3.0, None, 5.0, 100.0), [0, 1, 2])
    grey, group = colours.groups
    assert grey.rows == (1,)
    assert group.marker([2, 0]) == {"color": [5.0, 3.0], "coloraxis": "coloraxis"}
    axis = colours.layout["coloraxis"]
    assert (axis["cmin"], axis["cmax"]) == (3.0, 5.0)


def test_dark_means_better_whatever_the_direction() -> None:
    def scale(direction):
        layout = colouring(numbers(1.0, 2.0, direction=direction), [0, 1]).layout
        return [colour for _, colour in layout["coloraxis"]["colorscale"]]

    assert scale("min") == scale(None) == scale("max")[::-1]


def test_a_logarithmic_bar_is_labelled_with_the_values_themselves(table: TrialTable) -> None:
    colours = colouring(column(table, "objective.lam"), range(len(table)))
    axis = colours.layout["coloraxis"]
    assert axis["cmin"] == pytest.approx(math.log10(0.05))
    assert axis["cmax"] == pytest.approx(math.log10(20))
    assert axis["colorbar"]["ticktext"][0] == "0.05"
    assert axis["colorbar"]["ticktext"][-1] == "20"
    grey = colours.groups[0]
    assert {table.trials[i].params["objective.name"] for i in grey.rows} == {"kl", "hinge"}


@pytest.mark.parametrize("values", [(2.0, 2.0), (0.0, 0.0), (None, None)])
def test_one_value_or_none_still_makes_a_bar(values) -> None:
    axis = colouring(numbers(*values), [0, 1]).layout["coloraxis"]
    assert axis["cmin"] < axis["cmax"]


def test_titles_are_text() -> None:
    by = Column("a", SCRIPT, ("x",), numeric=False, log=False, direction=None)
    assert "<script" not in colouring(by, [0]).layout["legend"]["title"]["text"]
    by = Column("a", SCRIPT, (1.0,), numeric=True, log=False, direction=None)
    assert "<script" not in colouring(by, [0]).layout["coloraxis"]["colorbar"]["title"]["text"]


def test_ticks_of_the_greatest_floats_are_numbers() -> None:
    layout = colouring(numbers(1e-300, 1.7976931348623157e308, log=True), [0, 1]).layout
    assert layout["coloraxis"]["colorbar"]["ticktext"][-1] == "1.8e+308"


def test_of_many_words_the_most_frequent_are_told_and_the_others_counted() -> None:
    many = [str(i) for i in range(10_000)]
    began = time.perf_counter()
    _, *groups, rest = colouring(words(*many, "often", "often"), range(10_002)).groups
    assert time.perf_counter() - began < 1
    assert len(groups) == MOST_WORDS
    assert (groups[-1].name, groups[-1].rows) == ("often", (10_000, 10_001))
    assert (rest.name, rest.colour, len(rest.rows)) == ("9961 others", NEUTRAL, 9961)
