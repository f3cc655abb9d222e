"""Archives that come to a store: the same there, once, whenever the taking was cut off."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.earlier import earlier_trials
from explorer.launch.places import tracking_uri
from explorer.results.store import ResultStore
from explorer.store.schema import KIND
from explorer.store.whole import WholeRun
from explorer.tracking import Tracker
from explorer.transfer import export_sweep, import_address
from explorer.transfer.arrival import import_archive, named_like, taking
from tests.explorer.launch.small import configs, finish, small_sweep, tracker
from tests.explorer.transfer.made import DOCUMENT, front_of, table_of, whole
from tests.postgres import TrackingServer, running_postgres
from tests.stores import empty_store


def test_a_sweep_is_the_same_in_another_store_once_and_under_any_name(
    uri: str, made: Path, tmp_path: Path
) -> None:
    there = empty_store(tmp_path)
    found = import_archive(made, there)
    assert (found.sweep, found.written, found.known) == ("ring", 6, 0)
    assert table_of(there) == table_of(uri)
    assert whole(there) == whole(uri)
    assert front_of(table_of(there)) == front_of(table_of(uri))
    assert [info.experiment for info in ResultStore(there).sweeps()] == ["rings"]
    again = export_sweep(ResultStore(there), "ring", tmp_path / "again.zip").file
    assert again.read_bytes() == made.read_bytes()

    before = whole(there)
    found = import_archive(made, there)
    assert (found.written, found.known) == (0, 6)
    assert found.sentence() == "sweep ring: 0 trials imported, 6 trials there already"
    assert whole(there) == before, "a second import writes nothing"

    import_archive(made, there, "ring-2")
    assert {info.name for info in ResultStore(there).sweeps()} == {"ring", "ring-2"}
    assert table_of(there, "ring-2") == table_of(there)
    document = ResultStore(there).document("ring-2")
    assert document == DOCUMENT.replace("name: ring", "name: ring-2")


def test_a_sweep_of_that_name_that_is_another_is_refused(made: Path, tmp_path: Path) -> None:
    there = empty_store(tmp_path)
    tracker = Tracker(there, "rings")
    tracker.open_sweep("ring", {"fid": "min"}, "", "", "{}")
    tracker.close_sweep(interrupted=False)
    with pytest.raises(UserError, match=r"is in the store already and did not come from here; .* --name"):
        import_archive(made, there)
    assert len(ResultStore(there).table("ring")) == 0
    with (
        pytest.raises(UserError, match="is in experiment 'rings' of the store already"),
        taking(there, "other", "ring", "archive", WholeRun("", "killed", 0), print, anywhere=True),
    ):
        pass


@pytest.mark.parametrize(
    "killed_at", [9, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 4, 14, 16, 18, 19, 20, 21))]
)
def test_a_killed_import_is_gone_on_with(uri: str, made: Path, tmp_path: Path, killed_at: int) -> None:
    there = empty_store(tmp_path)
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_die_at, args=(made, there, killed_at))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    import_archive(made, there)
    assert whole(there) == whole(uri)
    assert len(ResultStore(there).runs("trial", [KIND])) == 6
    assert len(ResultStore(there).runs("sweep", [KIND])) == 1


def _die_at(made: Path, there: str, request: int) -> None:
    """Killed by the system after so many requests, the last one done and its answer lost."""
    from explorer.store.connection import Connection

    made_so_far, call = [0], Connection.call

    def counted(self: Connection, work: Any, done: Any = None) -> Any:
        def last() -> Any:
            found = work()
            made_so_far[0] += 1
            if made_so_far[0] >= request + 6:
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        return call(self, last, done)

    Connection.call = counted  # type: ignore[method-assign]
    import_archive(made, there)


def test_a_launch_goes_on_with_what_was_imported(tmp_path: Path) -> None:
    here, there = small_sweep(tmp_path / "here"), small_sweep(tmp_path / "there")
    opened = tracker(here)
    first, second = configs(here)
    finish(opened, here, first)
    opened.start([(second, configs(here)[second].params())])
    opened.close_sweep(interrupted=True)
    file = export_sweep(ResultStore(tracking_uri(here)), here.name, tmp_path / "small.zip").file
    empty_store(tmp_path / "there")
    import_archive(file, tracking_uri(there))
    known = earlier_trials(there)
    assert (set(known.settled), known.present) == ({first}, {first, second})


def test_an_interrupt_leaves_nothing_running(made: Path, tmp_path: Path) -> None:
    there = empty_store(tmp_path)

    def stop(told: str) -> None:
        if told.startswith("trial 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_archive(made, there, stage=stop)
    table = ResultStore(there).table("ring")
    assert len(table) == 2
    assert ResultStore(there).sweeps()[0].status == "killed"
    assert "running" not in {trial.status for trial in table}
    assert import_archive(made, there).written == 4


@pytest.mark.slow
def test_a_server_on_postgres_takes_a_sweep_in_while_it_is_away_for_a_while_and_gives_it_again(
    uri: str, made: Path, tmp_path: Path
) -> None:
    with running_postgres() as postgres:
        server = TrackingServer(postgres.address, tmp_path)
        server.up()
        back = threading.Timer(3, server.up)

        def away(told: str) -> None:
            if told.startswith("trial 3") and back.ident is None:
                server.down()
                back.start()

        try:
            assert import_archive(made, server.uri, stage=away).written == 6
            back.join()
            assert whole(server.uri) == whole(uri)
            again = export_sweep(ResultStore(server.uri), "ring", tmp_path / "again.zip").file
            assert again.read_bytes() == made.read_bytes()
            there = empty_store(tmp_path)
            assert import_address(server.uri, there, sweep="ring").written == 6
            assert whole(there) == whole(uri)
        finally:
            back.cancel()
            server.down()


@pytest.mark.parametrize(
    ("label", "name"), [("a b/c", "a-b-c"), ("…", "imported"), ("x" * 200, "x" * 100), (".hidden", "hidden")]
)
def test_any_label_becomes_a_name(label: str, name: str) -> None:
    assert named_like(label) == name
