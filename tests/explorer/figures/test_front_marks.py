"""Points of a front are the means of configurations, or the trials themselves, and are remembered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from explorer.figures.front_marks import CHANCE, RANK, marks_of
from explorer.pareto import rank
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.figures.clouds import TWO, cloud_table


def everything(columns: Columns) -> np.ndarray:
    return np.ones(len(columns), dtype=np.bool_)


def test_a_point_is_the_mean_of_its_seeds() -> None:
    columns = Columns(cloud_table())
    marks = marks_of(columns, everything(columns), "recall", "precision", (PLAIN,), seeds=False)
    assert len(marks) == 6
    assert list(marks.count) == [3] * 6
    for i, code in enumerate(marks.configuration):
        mine = [t.metrics for t, c in zip(columns.trials, columns.configurations, strict=True) if c == code]
        assert np.allclose(
            marks.place[i], [np.mean([m["recall"] for m in mine]), np.mean([m["precision"] for m in mine])]
        )
        assert np.isclose(marks.of("fid")[i], np.mean([m["fid"] for m in mine]))
        assert (marks.low[i] < marks.place[i]).all()
        assert (marks.place[i] < marks.high[i]).all()
    assert "seed" not in marks.names()[0]


def test_intervals_end_where_a_metric_does() -> None:
    columns = Columns(cloud_table(spread=0.4))
    marks = marks_of(columns, everything(columns), "recall", "precision", (PLAIN,), seeds=False)
    assert (marks.low.min(), marks.high.max()) == (0.0, 1.0)
    of_fid = marks_of(columns, everything(columns), "fid", "precision", (PLAIN,), seeds=False)
    assert of_fid.high[:, 0].max() > 100


def test_single_seeds_are_ranked_as_trials_are() -> None:
    table = cloud_table(spread=0.05)
    columns = Columns(table)
    marks = marks_of(columns, everything(columns), "recall", "precision", (TWO,), seeds=True)
    ranking = rank(table, TWO)
    assert {columns.ids[row]: int(r) for row, r in zip(marks.row, marks.rank, strict=True)} == ranking.ranks
    assert np.isnan(marks.chance).all()
    assert "seed 0" in marks.names()[0]


def test_all_readings_at_once_share_one_front() -> None:
    columns = Columns(cloud_table())
    marks = marks_of(columns, everything(columns), "recall", "precision", (PLAIN, TWO), seeds=False)
    assert list(np.bincount(marks.reading)) == [6, 6]
    assert not np.array_equal(marks.of("precision")[:6], marks.of("precision")[6:])
    best = marks.goals[:, None] <= marks.goals[None]
    dominated = (best.all(axis=2) & (marks.goals[:, None] < marks.goals[None]).any(axis=2)).any(axis=0)
    assert np.array_equal(marks.front, ~dominated)


def test_who_has_not_finished_is_drawn_and_not_ranked() -> None:
    table = cloud_table()
    trials = (replace(table.trials[0], status="running"), *table.trials[1:])
    columns = Columns(replace(table, trials=trials))
    marks = marks_of(columns, everything(columns), "recall", "precision", (PLAIN,), seeds=True)
    assert marks.rank[0] == -1
    assert np.isnan(marks.of(RANK)[0])
    assert len(marks) == len(table)


def test_a_filter_on_seeds_changes_the_means() -> None:
    columns = Columns(cloud_table())
    one = marks_of(columns, columns.seeds == 1, "recall", "precision", (PLAIN,), seeds=False)
    assert list(one.count) == [1] * 6
    assert np.array_equal(one.of("fid"), columns.metric("fid")[columns.seeds == 1])
    assert np.isnan(one.low).all()
    assert np.isnan(one.of(CHANCE)).all(), "a single seed cannot tell"


def test_points_are_remembered_until_something_changes() -> None:
    columns = Columns(cloud_table())
    rows = everything(columns)
    first = marks_of(columns, rows, "recall", "precision", (PLAIN,), seeds=False)
    assert marks_of(columns, rows.copy(), "recall", "precision", (PLAIN,), seeds=False) is first
    rows[0] = False
    assert marks_of(columns, rows, "recall", "precision", (PLAIN,), seeds=False) is not first


def test_inert_points_are_hollow() -> None:
    table = cloud_table()
    inert = replace(table.trials[0], readings={PLAIN: {**table.trials[0].metrics, "lam_inert": 1.0}})
    columns = Columns(replace(table, trials=(inert, *table.trials[1:])))
    marks = marks_of(columns, everything(columns), "recall", "precision", (PLAIN,), seeds=True)
    assert list(np.flatnonzero(marks.hollow)) == [0]
