"""Addresses as a reader types them: taken for what is there, and refused at once where nothing is."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sources import checked_source, open_source
from tests.explorer.sources.studies_made import make_studies
from tests.stores import empty_store


def test_a_file_is_taken_for_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = empty_store(tmp_path)
    make_studies(f"sqlite:///{tmp_path / 'optuna.db'}")
    (tmp_path / "t.csv").write_text("a,fid\n1,2\n")
    (tmp_path / "j.log").write_text(
        '{"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1]}\n'
    )
    monkeypatch.chdir(tmp_path)
    kinds = {
        uri: "mlflow",
        str(tmp_path): "mlflow",
        "mlflow.db": "mlflow",
        "optuna.db": "optuna",
        f"sqlite:///{tmp_path / 'optuna.db'}": "optuna",
        f"optuna:sqlite:///{tmp_path / 'optuna.db'}": "optuna",
        "optuna:j.log": "optuna",
        " j.log ": "optuna",
        "t.csv": "csv",
        "http://localhost:5000": "mlflow",
        "sqlite:///none.db": "mlflow",
    }
    for address, kind in kinds.items():
        assert open_source(address).kind == kind, address
        if "none" not in address and "http" not in address:
            again = checked_source(address)
            monkeypatch.chdir("/")
            assert open_source(again).sweeps().keys() == open_source(again).sweeps().keys()
            monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("", "must be a store's or a file's"),
        ("a\nb", "must be a store's or a file's"),
        ("x" * 3000, "must be a store's or a file's"),
        ("none.csv", "there is no file"),
        ("sqlite:///none.db", "must be a SQLite file, and there is none; did you mean 'one.db'?"),
        ("localhost:5000", "there is no file"),
        ("folder", "is a folder without an mlflow.db"),
        ("text.txt", "is none of these"),
        ("ftp://host/x", "must be sqlite:///FILE"),
        ("optuna:none.db", "there is no file"),
        ("optuna:text.txt", "is neither"),
        ("optuna:other.db", "has no studies"),
        ("optuna:postgresql://host/x", "must be optuna:sqlite:///FILE"),
        ("~nobody-of-that-name/x", "must name a file"),
    ],
)
def test_what_is_not_there_is_refused(
    address: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("hello")
    with closing(sqlite3.connect(tmp_path / "other.db")) as link, link:
        link.execute("CREATE TABLE t (n)")
    (tmp_path / "one.db").touch()
    with pytest.raises(UserError, match=re.escape(words)):
        checked_source(address)


def test_the_default_store_may_be_named_before_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    assert checked_source(f"sqlite:///{tmp_path}/mlflow.db") == f"sqlite:///{tmp_path}/mlflow.db"


def test_a_database_of_others_is_told_when_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("CREATE TABLE t (n)")
    with pytest.raises(UserError, match="holds no runs of MLflow"):
        open_source(str(file)).sweeps()
    (tmp_path / "torn.db").write_bytes(b"SQLite format 3\x00" + b"x" * 2000)
    with pytest.raises(UserError, match="must be a SQLite file that can be read"):
        open_source(str(tmp_path / "torn.db")).sweeps()


def test_opening_loads_neither_optuna_nor_mlflow() -> None:
    words = "import sys, explorer.sources; print([m for m in ('optuna', 'mlflow', 'torch', 'ray') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
