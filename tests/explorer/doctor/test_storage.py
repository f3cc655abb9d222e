"""Where sweeps write: rights and room."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.doctor import storage
from explorer.doctor.finding import Subject
from explorer.doctor.storage import check_storage


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_places_that_can_be_written_are_fine_and_nothing_is_left_there(home: Path, tmp_path: Path) -> None:
    named = tmp_path / "not" / "there" / "yet"
    states = [
        one.state for one in check_storage(Subject("sqlite:///x", storages=[None, str(named), str(named)]))
    ]
    assert states == ["ok", "ok"], "the data folder, and the named place once"
    assert list(home.iterdir()) == []
    assert not named.exists()


def test_a_place_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    _, problem = check_storage(Subject("sqlite:///x", storages=[str(tmp_path / "file")]))
    assert problem.state == "problem"
    assert "set resources.storage" in problem.remedy


def test_a_data_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "file" / "home"))
    (problem,) = check_storage(Subject("sqlite:///x"))
    assert problem.state == "problem"
    assert "cannot be made" in problem.sentence


def test_a_full_disk_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.shutil, "disk_usage", lambda place: SimpleNamespace(free=10**8))
    (problem,) = check_storage(Subject("sqlite:///x"))
    assert (problem.state, problem.sentence.rpartition(" has ")[2]) == ("problem", "100 MB of room")
