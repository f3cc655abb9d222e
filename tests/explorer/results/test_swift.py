"""A SQLite store read straight: the table is the one that MLflow's own reading gives, in whole and hostile stores."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.results.known import Known, gathered
from explorer.results.store import ResultStore
from explorer.results.swift import Elsewhere, FileRows, local_artifact, looked_at, swift_parents
from explorer.results.table import TrialTable
from explorer.store import swift
from explorer.store.addresses import sqlite_file
from explorer.store.swift import Odd
from tests.hostile_stores import SWEEPS, copy_store, good_store, mutate
from tests.large_store import LARGE, write_large


class ByMlflow(ResultStore):
    """The store as MLflow alone reads it."""

    def swiftly(self, ask):
        return None

    def _look_into(self, file, parent, memory):
        raise Odd("not asked")


def told(store: ResultStore, name: str) -> object:
    """A table, or the sentence of its refusal."""
    try:
        return store.table(name)
    except UserError as error:
        return str(error)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return good_store(tmp_path_factory.mktemp("swift") / "good")


@pytest.mark.parametrize("seed", range(24))
def test_hostile_stores_read_the_same_either_way(good: Path, tmp_path: Path, seed: int) -> None:
    file = copy_store(good, tmp_path)
    mutations = mutate(file, 7919 * seed)
    uri = f"sqlite:///{file}"
    for name in SWEEPS:
        assert told(ResultStore(uri), name) == told(ByMlflow(uri), name), mutations
    assert ResultStore(uri).sweeps() == ByMlflow(uri).sweeps(), mutations


def test_a_whole_store_is_read_without_mlflow_and_is_the_same(good: Path) -> None:
    uri = f"sqlite:///{good / 'mlflow.db'}"
    for name in SWEEPS:
        table = ResultStore(uri).table(name)
        assert isinstance(table, TrialTable)
        assert table == ByMlflow(uri).table(name)
        first = table.trials[0]
        for metric in ("precision", "fid", "none of these"):
            assert ResultStore(uri).history(first.run_id, metric) == ByMlflow(uri).history(
                first.run_id, metric
            )
        for artifact in ("samples.json", "curve.json", "samples.png", "none"):
            found = ResultStore(uri).artifact_bytes(first.run_id, artifact)
            assert found == ByMlflow(uri).artifact_bytes(first.run_id, artifact)
    words = (
        "import sys; from explorer.results.store import ResultStore; "
        f"s = ResultStore({uri!r}); t = s.table({SWEEPS[0]!r}); s.history(t.trials[0].run_id, 'fid'); s.sweeps(); "
        "s.artifact_bytes(t.trials[0].run_id, 'curve.json'); print(len(t), 'mlflow' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert told.stdout.split() == [str(len(ResultStore(uri).table(SWEEPS[0]))), "False"]


def test_a_large_store_is_read_the_same_either_way(tmp_path: Path) -> None:
    uri = write_large(tmp_path, trials=130, running=3)
    table = ResultStore(uri).table(LARGE)
    assert table == ByMlflow(uri).table(LARGE)
    assert (len(table), sum(trial.status == "running" for trial in table)) == (130, 3)
    assert {len(trial.readings) for trial in table if trial.status == "finished"} == {4}
    assert table.budgets() == [1.0, 1.5, 2.0, 4.0]


def test_trials_whose_runs_have_not_changed_are_kept(tmp_path: Path) -> None:
    uri = write_large(tmp_path, trials=40)
    file = sqlite_file(uri)
    assert file is not None
    known: dict[str, Known] = {}

    def look() -> list[object]:
        with swift.sound(file) as link:
            ((parent, _),) = swift_parents(link, None)
            now = looked_at(FileRows(link), parent.experiment_id, parent.run_id, known)
        known.clear()
        known.update(now)
        return gathered(now.values())[0]

    before = look()
    run = before[7].run_id
    for change in (
        "UPDATE runs SET status = 'KILLED' WHERE run_uuid = ?",
        "UPDATE tags SET value = 'other words' WHERE key = 'tradeoff.layout' AND run_uuid = ?",
        "DELETE FROM tags WHERE key = 'tradeoff.layout' AND run_uuid = ?",
        "INSERT INTO params (key, value, run_uuid) VALUES ('more', '1', ?)",
        "UPDATE params SET value = '2' WHERE key = 'more' AND run_uuid = ?",
        "UPDATE latest_metrics SET value = 0.25 WHERE key = 'fid' AND run_uuid = ?",
        "UPDATE latest_metrics SET is_nan = 1 WHERE key = 'recall' AND run_uuid = ?",
        "UPDATE latest_metrics SET step = step + 1 WHERE key = 'recall' AND run_uuid = ?",
    ):
        with closing(sqlite3.connect(file)) as link, link:
            link.execute(change, (run,))
        after = look()
        assert [a is b for a, b in zip(before, after, strict=True)] == [i != 7 for i in range(40)], change
        assert after == list(ByMlflow(uri).table(LARGE).trials), change
        before = after
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE runs SET lifecycle_stage = 'deleted' WHERE run_uuid = ?", (run,))
    assert len(look()) == 39


def test_what_mlflow_would_not_have_written_is_left_to_it(good: Path, tmp_path: Path) -> None:
    file = copy_store(good, tmp_path)
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE latest_metrics SET value = 'abc' WHERE key = 'fid'")
    with pytest.raises(Odd), swift.sound(file) as link:
        swift.runs_of(link, swift.living(link, None, ("tradeoff.kind", "trial")))
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE alembic_version SET version_num = 'another'")
    with pytest.raises(Odd), swift.sound(file):
        pass


def test_artifacts_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "curve.json").write_bytes(b"{}")
    (folder / "folder").mkdir()
    (tmp_path / "secret").write_bytes(b"x")
    (folder / "out").symlink_to(tmp_path / "secret")
    for place in (folder.as_uri(), str(folder)):
        assert local_artifact(place, "curve.json") == b"{}"
        assert local_artifact(place, "none") is None
        assert local_artifact(place, "folder") is None
        with pytest.raises(Elsewhere):
            local_artifact(place, "out")
    for place in ("s3://bucket/x", "relative", "", "file://host/x", "mlflow-artifacts:/x"):
        with pytest.raises(Elsewhere):
            local_artifact(place, "curve.json")
    (folder / "curve.json").write_bytes(b" " * (2**18 + 1))
    with pytest.raises(ValueError, match="bytes"):
        local_artifact(str(folder), "curve.json")
