"""Data live in one folder, named by the environment or in the home, and made on first use."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.folders import data_folder, default_tracking_uri


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TRADEOFF_HOME", raising=False)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_folder_is_in_the_home_unless_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_folder() == home / ".tradeoff"
    assert (home / ".tradeoff").is_dir()
    monkeypatch.setenv("TRADEOFF_HOME", "")  # set to nothing is not set
    assert data_folder() == home / ".tradeoff"
    monkeypatch.setenv("TRADEOFF_HOME", "~/a/b")
    assert data_folder() == home / "a" / "b"
    assert data_folder().is_dir()


def test_a_relative_folder_becomes_absolute(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("TRADEOFF_HOME", "here")
    assert data_folder() == home / "here"


def test_a_folder_that_cannot_be_made_is_the_users_to_mend(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    for place in (home / "file", home / "file" / "below"):
        monkeypatch.setenv("TRADEOFF_HOME", str(place))
        with pytest.raises(
            UserError, match=f"data folder '{place}' cannot be made .*; set TRADEOFF_HOME to another"
        ):
            data_folder()


def test_runs_are_tracked_in_the_folder_unless_a_server_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_tracking_uri() == f"sqlite:///{home}/.tradeoff/mlflow.db"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://localhost:5000")
    assert default_tracking_uri() == "http://localhost:5000"
