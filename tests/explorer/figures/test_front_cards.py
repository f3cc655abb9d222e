"""Cards tell of every key what is known of it, once."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.chart import CardRow
from explorer.figures.front_cards import card_of, joined_rows, keys_of
from explorer.figures.front_marks import marks_of
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.figures.clouds import TWO, cloud_table


def test_a_trial_that_is_drawn_twice_has_one_key_and_one_card() -> None:
    columns = Columns(cloud_table())
    marks = marks_of(columns, columns.finished, "recall", "precision", (PLAIN, TWO), seeds=True)
    keys, key = keys_of(marks)
    assert len(keys) == len(set(keys)) == len(columns)
    assert len(key) == 2 * len(columns)
    card = card_of(marks, key, PLAIN)
    assert len(card.headings) == len(keys)
    (precision,) = (row.values for row in card.rows if row.title == "Precision")
    told = {identity: float(value) for identity, value in zip(keys, precision, strict=True)}
    first = {t.id: t.metrics["precision"] for t in columns.trials}
    assert told == pytest.approx(first, rel=1e-6), "the first reading is told, to seven digits"


def test_rows_of_two_sweeps_are_joined_and_what_one_lacks_is_left_out() -> None:
    mine = [CardRow("FID", np.array([1.0, 2.0])), CardRow("Note", ["a", ""])]
    theirs = [CardRow("FID", np.array([3.0])), CardRow("KID", np.array([4.0]))]
    fid, note, kid = joined_rows(mine, 2, theirs, 1)
    assert list(fid.values) == [1.0, 2.0, 3.0]
    assert list(note.values) == ["a", "", ""]
    assert np.isnan(kid.values[:2]).all()
    assert kid.values[2] == 4.0
