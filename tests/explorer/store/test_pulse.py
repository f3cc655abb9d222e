"""Whether a SQLite file has changed."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.store.pulse import Pulse


def write(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as link, link:
        link.execute(statement)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_every_change_is_seen_and_nothing_else(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "x.db"
    write(file, f"PRAGMA journal_mode = {mode}")
    write(file, "CREATE TABLE t (n)")
    pulse = Pulse(file)
    mark = pulse.mark()
    assert mark is not None
    assert pulse.mark() == mark
    for _ in range(3):
        write(file, "INSERT INTO t VALUES (1)")
        now = pulse.mark()
        assert now not in (mark, None)
        assert pulse.mark() == now
        mark = now


def test_another_file_in_its_place_is_a_change(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    for file in (one, two):
        write(file, "CREATE TABLE t (n)")
    pulse = Pulse(one)
    mark = pulse.mark()
    two.replace(one)
    assert pulse.mark() != mark
    one.unlink()
    assert pulse.mark() is None
    assert Pulse(None).mark() is None


def test_a_file_that_came_to_the_same_count_is_a_change(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    for file in (one, two):
        write(file, "CREATE TABLE t (n)")
        write(file, f"INSERT INTO t VALUES ('{file.name}')")
    pulse = Pulse(one)
    mark = pulse.mark()
    assert one.stat().st_size == two.stat().st_size
    shutil.copyfile(two, one)
    assert pulse.mark() != mark
