"""The database of studies: many may come at once, and whatever it fails with is one sentence."""

from __future__ import annotations

import multiprocessing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import optuna
import pytest

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.search import Study
from explorer.search.points.optuna_source import OptunaSource, tpe_sampler
from explorer.search.points.studies import open_study
from tests.explorer.search.spaces import wide
from tests.full_disk import on_a_full_disk

GOALS = parse_goals({"precision": "max", "fid": "min"})
REMEDY = "; make room or move that file away, and run the same command again: what is finished is not trained again"


def source(study: Study) -> OptunaSource:
    return OptunaSource(wide(), lambda known: tpe_sampler(known, 500), 500, GOALS, study)


def _open_at_once(file: Path, name: str, all_there: Barrier) -> None:
    all_there.wait()
    open_study(Study(file, name), GOALS).ask()


@pytest.mark.parametrize("attempt", range(2))
def test_processes_that_come_at_once_make_one_database(tmp_path: Path, attempt: int) -> None:
    processes, names = multiprocessing.get_context("fork"), "abcd"
    all_there = processes.Barrier(len(names))
    opening = [
        processes.Process(target=_open_at_once, args=(tmp_path / "studies.db", name, all_there))
        for name in names
    ]
    for process in opening:
        process.start()
    for process in opening:
        process.join()
    assert [process.exitcode for process in opening] == [0] * len(names)
    found = optuna.get_all_study_summaries(f"sqlite:///{tmp_path / 'studies.db'}")
    assert sorted((one.study_name, one.n_trials) for one in found) == [(name, 1) for name in names]


def test_a_folder_of_any_name_may_hold_it(tmp_path: Path) -> None:
    study = Study(tmp_path / "of {mine} %41?" / "studies.db", "study")
    (asked,) = source(study).ask(1)
    assert study.file.is_file()
    assert source(study).ask(1) == [asked]


@pytest.mark.parametrize("content", [b"no database " * 500, None], ids=["damaged", "a folder"])
def test_what_is_no_database_is_told(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "studies.db"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    with pytest.raises(UserError, match=r"the search's studies in '.*' fail \(.+\)") as refused:
        source(Study(file, "study"))
    assert str(refused.value).endswith(REMEDY)


def test_a_database_damaged_meanwhile_is_told_when_asked_and_when_told(tmp_path: Path) -> None:
    study = Study(tmp_path / "studies.db", "study")
    searching = source(study)
    (asked,) = searching.ask(1)
    study.file.write_bytes(b"no database " * 500)
    with pytest.raises(UserError, match=r"fail \(file is not a database\)"):
        searching.tell(asked.number, [{"precision": 0.5, "fid": 1.0}])
    with pytest.raises(UserError, match=r"fail \(file is not a database\)"):
        searching.ask(1)


def test_a_full_disk_is_told_and_the_study_goes_on_when_there_is_room(tmp_path: Path) -> None:
    study = Study(tmp_path / "studies.db", "study")
    (first,) = source(study).ask(1)

    def search() -> None:
        searching = source(study)
        for asked in searching.ask(500):
            searching.tell(asked.number, [{"precision": 0.5, "fid": 1.0}])

    told = on_a_full_disk(search, study.file.stat().st_size + 6_000)
    assert told.startswith(f"the search's studies in '{study.file}' fail (")
    assert told.endswith(REMEDY)
    again = source(study).ask(3)
    assert again[0] == first
    assert len(again) == 3
