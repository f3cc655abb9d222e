"""Colours along a sweep's own scale: dark is better, words have hues, what has no value is grey."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.front_marks import marks_of
from explorer.figures.space_colours import GREY, Tint, tint_of
from explorer.figures.theme import CATEGORIES, NEUTRAL, SCALE
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN


def _tint(table: TrialTable, name: str) -> Tint:
    columns = Columns(table)
    return tint_of(marks_of(columns, columns.finished, "recall", "precision", (PLAIN,), True), name, PLAIN)


def test_numbers_lie_along_the_scale_of_the_sweep(table: TrialTable) -> None:
    fid = _tint(table, "fid")
    values = Columns(table).metric("fid")
    assert np.argsort(fid.levels).tolist() == np.argsort(values).tolist()
    assert fid.levels.min() >= 0
    assert fid.levels.max() <= 1
    assert fid.stops == SCALE
    assert _tint(table, "precision").stops == SCALE[::-1], "dark is better"


def test_a_wide_column_is_spread_logarithmically(table: TrialTable) -> None:
    lam = _tint(table, "objective.lam")
    values = Columns(table).numbers("objective.lam")
    known = np.isfinite(values)
    expected = np.log10(values[known] / 0.05) / np.log10(20 / 0.05)
    np.testing.assert_allclose(lam.levels[known], expected)
    assert np.isnan(lam.levels[~known]).all()
    assert lam.ticks[0.0] == "0.05"
    assert lam.ticks[1.0] == "20"


def test_words_have_hues_in_points_and_lines(table: TrialTable) -> None:
    tint = _tint(table, "objective.name")
    words = Columns(table).words("objective.name")
    hues = dict(tint.words)
    assert list(hues) == list(words.words)
    everyone = np.arange(len(tint.levels))
    assert tint.marker(everyone)["color"] == [hues[words.words[code]] for code in words.codes]
    assert set(hues.values()) <= set(CATEGORIES)


def test_lines_behind_are_grey_and_so_are_those_without_a_value() -> None:
    tint = Tint("t", np.array([0.0, 1.0, 0.5, np.nan]), ("#000000", "#ffffff"), {0.0: "low", 1.0: "high"})
    line = tint.line(np.arange(4), behind=1)
    assert line["color"].tolist() == [0.0, 1.0, 0.75, 0.0]
    assert line["colorscale"][0] == [0.0, GREY]
    assert line["colorbar"]["ticktext"] == ["dominated", "low", "high"]
    assert line["colorbar"]["tickvals"] == [0.25, 0.5, 1.0]
    assert line["colorscale"][-1] == [1.0, "#ffffff"]


def test_points_without_any_value_are_grey() -> None:
    tint = Tint("t", np.array([np.nan, np.nan]), ("#000000", "#ffffff"))
    assert tint.marker(np.arange(2)) == {"color": NEUTRAL}


@pytest.mark.parametrize("count", [1, 2, 9, 30])
def test_however_many_words_there_are_each_has_a_level(count: int) -> None:
    from explorer.figures.space_colours import _worded

    tint = _worded("t", np.arange(count), tuple(f"w{i}" for i in range(count)))
    assert len(set(tint.levels)) == count
    assert tint.marker(np.arange(count))["color"] == [CATEGORIES[i % len(CATEGORIES)] for i in range(count)]
