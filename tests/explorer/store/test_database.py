"""A store is whole or not there, however its maker dies; one that is not whole is refused with what to do."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import mlflow.store.db.utils
import pytest
from mlflow import MlflowClient

from explorer import api
from explorer.errors import UserError
from explorer.folders import default_database
from explorer.results.store import ResultStore
from explorer.store import database
from explorer.store.addresses import sqlite_file
from explorer.store.database import check_database, make_database, run_ids, tag_values, told_if_new
from explorer.tracking.promotion import write_promotion
from explorer.tracking.repairs import Repairs
from tests.stores import empty_store

processes = multiprocessing.get_context("fork")


def _killed_while_making(file: Path) -> None:
    """The first tables are there, the migrations are not, when the process dies."""

    def die(engine: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    mlflow.store.db.utils._upgrade_db = die  # in a process of its own
    make_database(file)


def test_a_maker_killed_halfway_leaves_nothing_that_the_next_ones_trip_over(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "mlflow.db"
    file.parent.mkdir()
    dying = processes.Process(target=_killed_while_making, args=(file,))
    dying.start()
    dying.join()
    assert dying.exitcode == -signal.SIGKILL
    (left,) = file.parent.glob(".mlflow.db.*.making")
    assert list(left.iterdir()), "it was in the middle of it"
    assert not file.exists()

    Path(f"{file}-journal").write_bytes(b"of a store that was moved away")
    make_database(file)
    check_database(file)
    assert {path.name for path in file.parent.iterdir()} == {
        "mlflow.db", "mlflow.db.lock", "mlflow.db-journal.left"
    }  # fmt: skip


def test_a_store_that_is_there_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"
    file.write_text("mine")
    make_database(file)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_that_was_mistyped_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        UserError, match=r"must lie in a folder that is there, and '.*/file' is none; name another"
    ):
        make_database(tmp_path / "file" / "mlflow.db")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mlflow.db").touch()
    with pytest.raises(UserError, match=r"and '.*/reslts' is not; did you mean 'results'\?"):
        make_database(tmp_path / "reslts" / "mlflow.db")
    assert not (tmp_path / "reslts").exists()
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    assert told_if_new(default_database()) is None, "the data folder is made when it is needed"


def test_a_new_store_is_told_before_it_is_made(tmp_path: Path) -> None:
    assert told_if_new(tmp_path / "new.db") == (
        f"there is no tracking store '{tmp_path}/new.db' yet, so this sweep makes it"
    )
    (tmp_path / "runs.db").touch()
    assert told_if_new(tmp_path / "runs.db") is None
    said = str(told_if_new(tmp_path / "rums.db", "this import"))
    assert said.endswith("yet, so this import makes it; did you mean 'runs.db'?")


def test_whoever_reads_makes_no_store_and_hears_which_was_meant(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    wrong = uri.replace("mlflow.db", "mlfow.db")
    for ask in (
        lambda: ResultStore(wrong).sweeps(),
        lambda: ResultStore(wrong).table("s"),
        lambda: ResultStore(wrong).runs("sweep", ()),
        lambda: ResultStore(wrong).whole_run("x"),
        lambda: api.sweeps(wrong),
        lambda: api.results("s", wrong),
        lambda: write_promotion(wrong, "x", "best"),
        lambda: Repairs(wrong).trash("x"),
    ):
        with pytest.raises(
            UserError, match=r"must be a SQLite file, and there is none; did you mean 'mlflow.db'\?"
        ):
            ask()
    assert [one.name for one in tmp_path.iterdir()] == ["mlflow.db"]


def _sql(*statements: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file)) as link, link:
            link.execute("PRAGMA foreign_keys = OFF")
            for statement in statements:
                link.execute(statement)

    return change


def _spoilt_layout(file: Path) -> None:
    """A byte that is no UTF-8 in the words by which SQLite knows a table."""
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"CREATE TABL\xff", 1))


def _truncated(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


HALF = "is half made, since its maker was stopped, and holds no runs; move it away and run the command again"
UNREADABLE = r"must be a SQLite file that can be read \(.*\); name another store, or move this file away"


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda file: file.write_bytes(b""), HALF),
        (_sql("DELETE FROM experiments", "DELETE FROM alembic_version"), HALF),
        (_sql("DELETE FROM experiments", "DROP TABLE alembic_version"), HALF),
        (_sql("DELETE FROM alembic_version"), "does not say which tables of MLflow it has"),
        (_sql("DROP TABLE alembic_version"), "does not say which tables of MLflow it has"),
        (_sql("DELETE FROM experiments", "UPDATE alembic_version SET version_num = '451aebb31d03'"), HALF),
        (_truncated, UNREADABLE),
        (lambda file: os.truncate(file, 50), UNREADABLE),
        (lambda file: file.write_text("name: demo\n" * 100), UNREADABLE),
        (_folder, "must be a SQLite file, and it is a folder"),
        (Path.unlink, "must be a SQLite file, and there is none"),
        (_sql("UPDATE alembic_version SET version_num = '451aebb31d03'"), "was made by an older MLflow"),
        (_sql("UPDATE alembic_version SET version_num = 'ffff'"), "was made by a newer MLflow"),
        (_sql("INSERT INTO alembic_version VALUES ('451aebb31d03')"), "and says 2; restore it from a copy"),
        (
            _sql(
                "INSERT INTO runs (run_uuid, experiment_id) VALUES ('a', 0)",
                "DELETE FROM experiments",
            ),
            "has runs and no experiment that they belong to; restore it from a copy",
        ),
        (_spoilt_layout, UNREADABLE),
        (_sql("DROP TABLE metrics"), r"lacks 1 of MLflow's tables \(metrics"),
        (_sql("DROP TABLE experiments"), "holds no runs of MLflow but something else"),
    ],
)
def test_what_is_no_whole_store_is_refused_with_what_to_do(
    damage: Callable[[Path], None], told: str, tmp_path: Path
) -> None:
    file = sqlite_file(empty_store(tmp_path))
    assert file is not None
    check_database(file)
    damage(file)
    before = file.read_bytes() if file.is_file() else None
    with pytest.raises(UserError, match=told) as refusal:
        check_database(file)
    assert str(file) in str(refusal.value)
    assert len(str(refusal.value)) <= 300
    assert (file.read_bytes() if file.is_file() else None) == before, "nothing is changed by looking"


def test_a_store_that_another_program_holds_is_told_soon_and_is_not_to_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database.WAIT_S <= 5
    monkeypatch.setattr(database, "WAIT_S", 0.1)
    file = sqlite_file(empty_store(tmp_path))
    assert file is not None
    with closing(sqlite3.connect(file)) as link:
        link.execute("BEGIN EXCLUSIVE")
        for look in (check_database, lambda file: tag_values(file, "name", ("kind", "sweep"))):
            with pytest.raises(
                UserError, match=r"another program holds it .*; wait until that is done, or"
            ) as told:
                look(file)
            assert "move" not in str(told.value)


def test_names_beside_one_that_is_no_text_are_found(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    file = sqlite_file(uri)
    assert file is not None
    for name in ("good", "spoilt"):
        MlflowClient(uri).create_run("0", tags={"name": name, "kind": "sweep"})
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE tags SET value = CAST(x'ff41' AS TEXT) WHERE value = 'spoilt'")
    assert tag_values(file, "name", ("kind", "sweep")) == {"good", "\ufffdA"}


def test_ids_of_runs_are_found_by_their_tags(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    file = sqlite_file(uri)
    assert file is not None
    client = MlflowClient(uri)
    tags = [{"kind": "sweep"}, {"kind": "trial", "of": "o'x"}, {"kind": "trial", "of": "y"}]
    runs = [client.create_run("0", start_time=5 - i, tags=each).info.run_id for i, each in enumerate(tags)]
    client.delete_run(client.create_run("0", tags=tags[0]).info.run_id)
    assert run_ids(file, ["0"], {}) == runs[::-1]
    assert run_ids(file, ["0", "7"], {"kind": "trial", "of": "o'x"}) == [runs[1]]
    assert run_ids(file, ["7"], {}) == []


def test_a_journal_that_a_killed_writer_left_is_played_back(tmp_path: Path) -> None:
    file = sqlite_file(empty_store(tmp_path))
    assert file is not None
    with closing(sqlite3.connect(file)) as link:
        link.execute("PRAGMA cache_size = 1")
        link.execute("DELETE FROM experiments")
        link.execute("CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n LIMIT 5000) "
                     "SELECT i, hex(randomblob(200)) FROM n")  # fmt: skip
        for path in (file, Path(f"{file}-journal")):  # as they lie when the process is killed here
            shutil.copy(path, tmp_path / path.name.replace("mlflow", "killed"))
    check_database(tmp_path / "killed.db")


def test_values_of_tags_are_those_that_mlflow_finds(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    file = sqlite_file(uri)
    assert file is not None
    assert tag_values(file, "name", ("kind", "sweep")) == set()
    client = MlflowClient(uri)
    homes = [client.create_experiment(name) for name in ("one", "two", "trash")]
    for number, (home, kind) in enumerate(zip(homes * 2, ["sweep"] * 4 + ["trial"] * 2, strict=True)):
        client.create_run(home, tags={"name": f"n{number}", "kind": kind})
    client.delete_run(client.create_run(homes[0], tags={"name": "gone", "kind": "sweep"}).info.run_id)
    client.delete_experiment(homes[2])
    for experiment, ids in ((None, homes[:2]), ("one", homes[:1]), ("none", [])):
        found = client.search_runs(ids, "tags.kind = 'sweep'") if ids else []
        assert tag_values(file, "name", ("kind", "sweep"), experiment) == {r.data.tags["name"] for r in found}
    _spoilt_layout(file)
    assert tag_values(file, "name", ("kind", "sweep")) == set()
    file.write_bytes(b"no database")
    assert tag_values(file, "name", ("kind", "sweep")) == set()
