"""The corner of a sweep is its reference point, signs normalised."""

from __future__ import annotations

from explorer.pareto.corner import corner_of
from explorer.pareto.ranking import reference_point
from explorer.results.columns import Columns
from tests.explorer.figures.clouds import cloud_table


def test_the_corner_is_the_reference_point_and_found_once() -> None:
    table = cloud_table()
    columns = Columns(table)
    worst = reference_point(table)
    corner = corner_of(columns)
    assert list(corner) == [-worst["precision"], -worst["recall"], worst["fid"]]
    assert corner_of(columns) is corner
