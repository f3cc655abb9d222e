"""One of many makes it; all have it; a maker that dies holds nobody up."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trainables.features.once import made_once


def read(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None


def test_many_at_once_make_it_once(tmp_path: Path) -> None:
    path, made = tmp_path / "new" / "thing.txt", []

    def make() -> str:
        made.append(1)
        path.write_text("whole")
        return "whole"

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: made_once(path, read, make), range(8)))
    assert found == ["whole"] * 8
    assert made == [1]


def _die(path: Path) -> None:
    made_once(path, read, lambda: os._exit(1))


def test_a_maker_that_died_or_failed_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "thing.txt"
    process = multiprocessing.get_context("fork").Process(target=_die, args=(path,))
    process.start()
    process.join()
    with pytest.raises(RuntimeError, match="no"):
        made_once(path, read, _fail)
    assert made_once(path, read, lambda: "again") == "again"


def _fail() -> str:
    raise RuntimeError("no")


def test_where_nothing_can_be_locked_each_makes_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    assert made_once(tmp_path / "thing.txt", read, lambda: "mine") == "mine"
