"""A PostgreSQL database read straight: the table is MLflow's own, and whatever happens to a sweep is seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from benchmarks.store_servers import postgres
from explorer.results import cache
from explorer.results.store import ResultStore
from explorer.results.swift import looked_at
from explorer.store import schema
from explorer.store.postgres import ServerRows, is_postgres, opened_server
from explorer.store.runs import StoredRun
from explorer.store.swift import Odd, Row
from tests.explorer.results.changing import SWEEP, Changing


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with TemporaryDirectory(dir="/tmp") as folder, postgres(Path(folder)) as uri:
        yield uri


class ByMlflow(ResultStore):
    """The store as MLflow alone reads it."""

    def _learn(self, parent: StoredRun, memory: object) -> bool:
        return False


def test_which_addresses_are_asked_so() -> None:
    assert is_postgres("postgresql://h/x")
    assert is_postgres("postgresql+psycopg2://h/x")
    assert not is_postgres("mysql://h/x")
    assert not is_postgres("http://postgresql/")


def test_a_database_without_tables_is_left_to_mlflow(database: str) -> None:
    with pytest.raises(Odd), opened_server(database):
        pass
    with (
        pytest.raises(Odd, match="OperationalError") as told,
        opened_server("postgresql+psycopg2://me:secret@127.0.0.1:9/x"),
    ):
        pass
    assert "secret" not in str(told.value)


def test_what_is_remembered_is_what_mlflow_reads(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.setattr(cache.memory, "FEW", 0)
    monkeypatch.setattr(cache.memory, "SAVE_S", -1.0)
    sweep, done = Changing(database, 4), []
    for _ in range(12):
        done.append(sweep.step())
        theirs = ByMlflow(database).table(SWEEP)
        assert ResultStore(database, fresh=True).table(SWEEP) == theirs, done
        assert ResultStore(database).table(SWEEP) == theirs, done
    assert ResultStore(database).sweeps() == ResultStore(database, "tests").sweeps()
    assert ResultStore(database, "another").sweeps() == []


def test_only_what_changed_is_read(database: str) -> None:
    sweep = Changing(database, 0)
    sweep.bear()
    with opened_server(database) as rows:
        ((parent, _),) = rows.parents((schema.KIND, "sweep"), None)
        known = looked_at(rows, parent.experiment_id, parent.run_id, {})
        again = looked_at(rows, parent.experiment_id, parent.run_id, known)
    assert all(again[run] is one for run, one in known.items())
    changed = next(iter(known))
    sweep.client.set_tag(changed, "note", "by hand")
    sweep.client.log_metric(changed, "fid", float("nan"), step=30)
    with opened_server(database) as rows:
        after = looked_at(rows, parent.experiment_id, parent.run_id, known)
    assert {run for run, one in after.items() if one is not known[run]} == {changed}


def test_a_database_in_which_nobody_wrote_is_not_asked_for_its_runs(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    sweep, memory = Changing(database, 6), cache.Memory()
    sweep.bear()
    table = ResultStore(database).table(SWEEP, known=memory)
    asked: list[int] = []
    plain = ServerRows.prints

    def counted(self: ServerRows, rows: Sequence[Row]) -> dict[str, str]:
        asked.append(len(rows))
        return plain(self, rows)

    monkeypatch.setattr(ServerRows, "prints", counted)
    assert ResultStore(database).table(SWEEP, known=memory) == table
    assert asked == []
    sweep.client.set_tag(table.trials[0].run_id, "word", "by hand")
    assert ResultStore(database).table(SWEEP, known=memory) == table
    assert asked == [len(table)]


def test_transactions_of_another_server_are_others(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Changing(database, 7).bear()
    with opened_server(database) as rows:
        living = rows.living(None, (schema.KIND, "trial"))
        here, moment = rows.prints(living), rows.moment()
        monkeypatch.setattr("explorer.store.postgres._SERVER", "SELECT 7, 1")
        there = rows.prints(living)
        assert all(there[run] != told for run, told in here.items())
        assert rows.moment() != moment
