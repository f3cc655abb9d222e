"""Table 6.1: our rows beside the printed ones, which are those of the thesis."""

from __future__ import annotations

import re

import pytest

from explorer.reproduce.thesis_table_61 import PRINTED
from tests.explorer.reproduce.built import built, traces
from trainables.studies.table_61 import DEARER, ROWS


def _rows() -> dict[str, list[tuple[str, str]]]:
    table = built("thesis-table-6.1")[0].table
    assert table is not None
    assert len(table.columns) == 8
    return {title: list(cells) for title, cells in table.rows.items()}


def _mean(cell: str) -> float:
    return float(re.split(" ± ", cell)[0])


def test_every_row_stands_beside_what_is_printed() -> None:
    rows = _rows()
    assert list(rows) == [row.title for row in (*ROWS, *DEARER)]
    for title, cells in rows.items():
        assert len(cells) == 7
        assert any(printed for _, printed in cells) == (title in PRINTED), title
    assert rows["OBRS"][1][1] == "92.54 ± 0.54"
    assert rows["MH-GAN"][3][1] == "19292 ± 23"


def test_precision_is_ordered_as_printed_and_the_baseline_is_the_printed_one() -> None:
    rows = _rows()
    precision = {title: _mean(cells[1][0]) for title, cells in rows.items()}
    matched = [precision[row.title] for row in ROWS]
    assert sorted(matched, reverse=True)[:2] == [precision["OBRS"], precision["DRS"]]
    assert precision["OBRS"] - precision["DRS"] > 1.5
    assert precision["baseline"] == pytest.approx(PRINTED["baseline"].precision[0], abs=1.5)
    assert _mean(rows["OBRS"][2][0]) == pytest.approx(6262, rel=0.02)


def test_the_picture_has_the_numbers_of_the_table() -> None:
    rows = _rows()
    drawn = traces("thesis-table-6.1")
    for title, x in zip(drawn["computed here"].text, drawn["computed here"].x, strict=True):
        assert x == pytest.approx(_mean(rows[title][1][0]), abs=0.01)
    assert list(drawn["printed"].x) == [row.precision[0] for row in PRINTED.values()]
    places = dict(zip(drawn["computed here"].text, drawn["computed here"].y, strict=True))
    assert [places[title] for title in drawn["printed"].text] == list(drawn["printed"].y)
