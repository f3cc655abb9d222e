"""Quick ways lead to points of the front that are best at what they say."""

from __future__ import annotations

import numpy as np

from app.finding import found_by, quick_picks
from explorer.figures.front_marks import Marks, marks_of
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN


def marks_here(table: TrialTable) -> Marks:
    columns = Columns(table)
    return marks_of(columns, columns.finished, "recall", "precision", (PLAIN,), seeds=False)


def test_picks_are_best_at_what_they_say(table: TrialTable) -> None:
    marks = marks_here(table)
    picks = quick_picks(marks)
    assert set(picks) == {"Sharpest", "Most diverse", "Lowest FID", "Knee"}
    assert marks.front[list(picks.values())].all()
    assert picks["Sharpest"] == int(np.argmax(np.where(marks.front, marks.of("precision"), -1)))
    assert picks["Most diverse"] == int(np.argmax(np.where(marks.front, marks.of("recall"), -1)))
    assert picks["Lowest FID"] == int(np.argmin(marks.of("fid")))


def test_a_preference_walks_from_quality_to_diversity(table: TrialTable) -> None:
    marks = marks_here(table)
    chosen = [found_by(marks, step / 20) for step in range(21)]
    precision = [marks.of("precision")[i] for i in chosen if i is not None]
    assert len(precision) == 21
    assert precision == sorted(precision, reverse=True)
    assert precision[0] == marks.of("precision")[marks.front].max()
    assert found_by(marks, None) is None


def test_nobody_is_found_among_nobody(table: TrialTable) -> None:
    columns = Columns(table)
    nobody = np.zeros(len(columns), dtype=np.bool_)
    marks = marks_of(columns, nobody, "recall", "precision", (PLAIN,), seeds=False)
    assert quick_picks(marks) == {}
    assert found_by(marks, 0.5) is None
