"""Rows of a SQLite store as MLflow wrote them; anything else is odd. What becomes of them: results/test_swift.py."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.store import swift
from explorer.store.connection import Connection
from explorer.store.swift import Odd
from tests.stores import empty_store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two runs of one experiment, in the order a, b by their start."""
    client = Connection(empty_store(tmp_path)).client
    place = client.create_experiment("place")
    for name, start in (("b", 20), ("a", 10)):
        run = client.create_run(place, start_time=start, run_name=name, tags={"who": name}).info.run_id
        client.log_param(run, "p", "1")
        for step, value in ((1, 0.5), (2, math.nan), (1, 0.75)):
            client.log_metric(run, "m", value, step=step, timestamp=step)
    return tmp_path / "mlflow.db"


def test_runs_come_oldest_first_with_all_they_have(file: Path) -> None:
    with swift.sound(file) as link:
        rows = swift.living(link, None)
        first, second = swift.runs_of(link, rows)
        assert [row.name for row in rows] == ["a", "b"]
        assert (first.tags["who"], second.tags["who"]) == ("a", "b")
        assert (dict(first.params), first.last_step, first.started) == ({"p": "1"}, 2, 10)
        assert math.isnan(first.metrics["m"])
        assert swift.living(link, None, ("who", "b")) == rows[1:]
        assert swift.living(link, "0") == []
        bare = swift.runs_of(link, rows, whole=False)[0]
        assert (bare.tags, bare.params, bare.metrics) == (first.tags, {}, {})
        assert swift.place_of(link, first.run_id) == first.artifact_uri
        steps = swift.history(link, first.run_id, "m")
        assert [step for step, _ in steps] == [1, 1, 2]
        assert [value for _, value in steps[:2]] == [0.5, 0.75]
        assert [swift.tag_of(link, first.run_id, key) for key in ("who", "nobody")] == ["a", ""]
        for ask in (
            swift.place_of,
            lambda link, run: swift.history(link, run, "m"),
            lambda link, run: swift.tag_of(link, run, "who"),
        ):
            with pytest.raises(Odd):
                ask(link, "no such run")


def test_many_runs_are_asked_in_parts(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with swift.sound(file) as link:
        rows = swift.living(link, None)
        whole, told = swift.runs_of(link, rows), swift.prints(link, rows)
        monkeypatch.setattr(swift, "CHUNK", 1)
        assert repr(swift.runs_of(link, rows)) == repr(whole)
        assert swift.prints(link, rows) == told


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET status = 'WEIRD'",
        "UPDATE runs SET start_time = NULL",
        "UPDATE runs SET end_time = 'x'",
        "UPDATE runs SET user_id = NULL",
        "UPDATE tags SET value = x'ff'",
        "UPDATE tags SET value = CAST(x'ff' AS TEXT)",
        "UPDATE tags SET value = NULL WHERE key = 'who'",
        "UPDATE params SET value = x'41'",
        "UPDATE latest_metrics SET value = 'abc'",
        "UPDATE latest_metrics SET step = 'abc'",
        "UPDATE latest_metrics SET is_nan = 7",
        "UPDATE alembic_version SET version_num = 'x'",
        "DELETE FROM experiments",
        "UPDATE experiments SET workspace = 'other' WHERE experiment_id = 0",
        "ALTER TABLE params RENAME TO elsewhere",
    ],
)
def test_what_mlflow_does_not_write_is_odd(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("PRAGMA ignore_check_constraints = ON")
        link.execute(statement)
    with pytest.raises(Odd), swift.sound(file) as link:
        swift.runs_of(link, swift.living(link, None))


def test_a_file_that_is_no_database_is_odd(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"no database at all" * 100)
    for name in ("x.db", "none.db"):
        with pytest.raises(Odd), swift.sound(tmp_path / name):
            pass
