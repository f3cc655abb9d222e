"""The drain against a real MLflow server through a link that fails: everything arrives, once, and nobody waits."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import explorer.tracking.drain as draining
import explorer.tracking.postponed as postponed
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.schema import FILES, PLAIN, decode_files
from explorer.tracking import Drain, Spool, Tracker
from explorer.tracking.entries import Entry, Fail, Finish, Log, Note, Start, now
from tests.stores import empty_store

MARKS = {PLAIN: "x"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "QUIET", 0.5)
    monkeypatch.setattr(draining, "LONGEST_PAUSE", 0.5)
    monkeypatch.setattr(postponed, "AGAIN", 0.5)


def opened(uri: str, sweep: str) -> Tracker:
    tracker = Tracker(uri, "tests")
    tracker.open_sweep(sweep, {"fid": "min"}, "", "name: x\n", '{"metrics": []}')
    return tracker


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    spool = Spool(tmp_path / "spool")
    yield spool
    spool.close()


def trial(name: str, steps: int) -> list[Entry]:
    at = now()
    return [
        Entry(name, at, Start({"seed": 1})),
        *(Entry(name, at + i, Log(i, {"fid": float(i)})) for i in range(1, steps)),
        Entry(name, at + steps, Log(steps, {"fid": float(steps)}, MARKS)),
        Entry(name, at + steps, Finish()),
    ]


def until(done: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def histories(uri: str, sweep: str) -> dict[str, list[tuple[int, float]]]:
    store = ResultStore(uri)
    return {one.id: store.history(one.run_id, "fid") for one in store.table(sweep)}


def test_what_is_told_while_the_store_is_away_arrives_once(link: Any, spool: Spool) -> None:
    told: list[str] = []
    drain = Drain(opened(link.uri, "away"), spool, told.append)
    drain.start()
    spool.put(trial("a", 3))
    drain.wake()
    until(lambda: not len(spool))
    link.down()
    spool.put(trial("b", 30))
    drain.wake()
    until(lambda: told)
    assert "does not answer" in told[0]
    assert str(spool.folder) in told[0]
    spool.put(trial("c", 3))
    link.up()
    link.lose = ["runs/create", "runs/log-batch", "runs/update"]
    until(lambda: not len(spool))
    drain.finish(5.0)
    assert drain.fault is None
    assert told[-1] == "the tracking store answers again"
    assert link.lose == []
    expected = {name: [(i, float(i)) for i in range(1, n + 1)] for name, n in (("a", 3), ("b", 30), ("c", 3))}
    assert histories(link.uri, "away") == expected
    assert {one.status for one in ResultStore(link.uri).table("away")} == {"finished"}


def test_a_run_whose_creation_was_not_answered_before_an_outage_is_created_once(
    link: Any, spool: Spool
) -> None:
    drain = Drain(opened(link.uri, "lost"), spool, lambda told: None)
    link.lose = ["runs/create"]
    silent = {"until": 0.0}
    real = link.handler.forward

    def forward(handler: Any) -> None:
        """The answer is lost, and all that is asked for after it: the call gives up, and another one begins."""
        if time.monotonic() < silent["until"]:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        losing = bool(link.lose)
        real(handler)
        if losing and not link.lose:
            silent["until"] = time.monotonic() + 3

    link.handler.do_POST = link.handler.do_GET = forward
    drain.start()
    spool.put(trial("a", 2))
    drain.wake()
    until(lambda: not len(spool))
    drain.finish(5.0)
    assert silent["until"]
    store = ResultStore(link.uri).connection()
    runs = list(
        store.search([store.experiment("tests")], {"tradeoff.sweep": "lost", "tradeoff.kind": "trial"})
    )
    assert len(runs) == 1


def test_the_end_does_not_wait_for_a_store_that_stays_away(link: Any, spool: Spool) -> None:
    drain = Drain(opened(link.uri, "gone"), spool, lambda told: None)
    drain.start()
    link.down()
    spool.put(trial("a", 3))
    drain.finish(0.5)
    assert len(spool) == 5, "all of it waits for the next launch"
    link.up()
    again = opened(link.uri, "gone")
    Drain(again, spool, lambda told: None).leftovers()
    assert len(spool) == 0
    assert histories(link.uri, "gone") == {"a": [(1, 1.0), (2, 2.0), (3, 3.0)]}


def test_leftovers_that_were_overtaken_are_dropped(tmp_path: Path, spool: Spool) -> None:
    uri = empty_store(tmp_path)
    spool.put([*trial("a", 2), Entry("a", now(), Fail("an old failure")), Entry("unknown", now(), Finish())])
    time.sleep(0.01)
    other = opened(uri, "s")  # another machine went on with it meanwhile
    other.start([("a", {})])
    other.log("a", 2, {"fid": 7.0}, MARKS)
    other.finish("a")
    other.close_sweep(interrupted=False)
    Drain(opened(uri, "s"), spool, lambda told: None).leftovers()
    assert len(spool) == 0
    (one,) = ResultStore(uri).table("s")
    assert (one.status, one.reason) == ("finished", None)
    assert histories(uri, "s") == {"a": [(2, 7.0)]}


def test_files_that_their_place_does_not_take_hold_nothing_up(
    tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, told = empty_store(tmp_path), list[str]()
    tracker = opened(uri, "s")
    broken = {"broken": True}
    put = tracker._runs._put

    def refused(place: str, files: Any) -> None:
        if broken["broken"]:
            raise LookupError("no credentials")
        put(place, files)

    monkeypatch.setattr(tracker._runs, "_put", refused)
    drain = Drain(tracker, spool, told.append)
    drain.start()
    begun, *rest = trial("a", 2)
    spool.put([begun])
    spool.put_files("a", now(), {"x.txt": b"first"})
    spool.put_files("a", now(), {"x.txt": b"second"})
    spool.put(rest)
    drain.wake()
    until(lambda: len(spool) == 2)
    assert histories(uri, "s") == {"a": [(1, 1.0), (2, 2.0)]}
    until(lambda: told)
    assert told == ["artifacts of trial a cannot be stored (no credentials); tried again later"]
    broken["broken"] = False
    drain.finish(20.0)
    assert len(spool) == 0
    run = next(iter(ResultStore(uri).table("s"))).run_id
    store = ResultStore(uri)
    store.table("s")
    assert store.artifact_bytes(run, "x.txt") == b"second"


def test_files_that_were_put_off_go_with_the_next_launch_though_their_trials_ended_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, folder = empty_store(tmp_path), tmp_path / "spool"
    tracker, spool = opened(uri, "s"), Spool(folder)

    def refused(place: str, files: Any) -> None:
        raise LookupError("no credentials")

    monkeypatch.setattr(tracker._runs, "_put", refused)
    drain = Drain(tracker, spool, lambda told: None)
    drain.start()
    whats = {name: [one.what for one in trial(name, 1)] for name in "abc"}
    for name in "ab":
        spool.put([Entry(name, 1000, whats[name][0])])
        spool.put_files(name, 1000, {"repeat.yaml": name.encode()})
    for name in "ab":  # at one moment, so that the second ends just after it
        spool.put([Entry(name, 2000, whats[name][1])])
        spool.put_files(name, 2000, {"samples.json": name.encode()})
        spool.put([Entry(name, 2000, whats[name][2])])
    spool.put([Entry("c", 3000, whats["c"][0])])  # begins in the same pass, before the others end there
    drain.wake()
    until(lambda: len(spool) == 4)
    drain.finish(0.0)
    spool.close()
    again, spool = opened(uri, "s"), Spool(folder)
    Drain(again, spool, lambda told: None).leftovers()
    assert len(spool) == 0
    spool.close()
    files = {name: set(child.files) for name, child in again._children.items()}
    assert files == {"a": {"repeat.yaml", "samples.json"}, "b": {"repeat.yaml", "samples.json"}, "c": set()}


def test_a_place_of_artifacts_that_refuses_them_holds_nothing_up(link: Any, spool: Spool) -> None:
    told: list[str] = []
    drain = Drain(opened(link.uri, "refused"), spool, told.append)
    link.refuse = ["/mlflow-artifacts/artifacts/"]
    drain.start()
    for name in "ab":
        begun, *rest = trial(name, 2)
        spool.put([begun])
        spool.put_files(name, now(), {"x.txt": b"text"})
        spool.put(rest)
    drain.wake()
    until(lambda: told)
    assert len(spool) == 2
    assert {one.status for one in ResultStore(link.uri).table("refused")} == {"finished"}
    assert len(told) == 1
    assert "artifacts of trial a cannot be stored (403" in told[0]
    link.refuse = []
    drain.finish(20.0)
    assert (drain.fault, len(spool)) == (None, 0)


def test_what_was_put_off_is_tried_again_while_others_tell_without_a_pause(
    tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = opened(empty_store(tmp_path), "s")
    tracker.start([("a", {}), ("b", {})])
    tried = []

    def refused(place: str, files: Any) -> None:
        tried.append(time.monotonic())
        raise LookupError("no credentials")

    monkeypatch.setattr(tracker._runs, "_put", refused)
    monkeypatch.setattr(draining, "LINGER", 0.0)
    drain = Drain(tracker, spool, lambda told: None)
    drain.start()
    spool.put_files("a", now(), {"x.txt": b"text"})
    step = 0
    deadline = time.monotonic() + 60
    while len(tried) < 3:
        step += 1
        spool.put([Entry("b", now(), Log(step, {"fid": 1.0}))])
        drain.wake()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    drain.finish(0.0)
    assert tried[2] - tried[1] >= 0.5


def test_a_page_to_log_in_that_takes_any_file_and_keeps_none_is_seen(link: Any, spool: Spool) -> None:
    told: list[str] = []
    drain = Drain(opened(link.uri, "page"), spool, told.append)
    real, asks = link.handler.forward, {"on": True}

    def forward(handler: Any) -> None:
        if not asks["on"]:
            real(handler)
            return
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        page = b'{"files": []}' if handler.command == "GET" else b"<html>log in</html>"
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(page)))
        handler.end_headers()
        handler.wfile.write(page)

    def guarded(handler: Any) -> None:
        forward(handler) if "mlflow-artifacts" in handler.path else real(handler)

    link.handler.do_PUT = link.handler.do_GET = guarded
    drain.start()
    begun, *rest = trial("a", 2)
    spool.put([begun])
    spool.put_files("a", now(), {"x.txt": b"text", "y.txt": b"more"})
    spool.put(rest)
    drain.wake()
    until(lambda: told)
    assert told == [
        "artifacts of trial a cannot be stored ('y.txt' was sent and is not there); tried again later"
    ]
    assert len(spool) == 1
    asks["on"] = False
    drain.finish(20.0)
    assert (drain.fault, len(spool)) == (None, 0)
    store = ResultStore(link.uri)
    (one,) = store.table("page")
    assert [store.artifact_bytes(one.run_id, name) for name in ("x.txt", "y.txt")] == [b"text", b"more"]


def test_a_server_that_knows_us_no_more_for_a_while_is_away(link: Any, spool: Spool) -> None:
    """Credentials that ran out, or another database in its place: nothing is dropped."""
    told: list[str] = []
    drain = Drain(opened(link.uri, "barred"), spool, told.append)
    real, barred = link.handler.forward, {"on": True}

    def forward(handler: Any) -> None:
        if not barred["on"]:
            real(handler)
            return
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        said = b'{"error_code": "PERMISSION_DENIED", "message": "log in again"}'
        handler.send_response(403)
        handler.send_header("Content-Length", str(len(said)))
        handler.end_headers()
        handler.wfile.write(said)

    for method in ("GET", "POST", "PUT", "PATCH"):
        setattr(link.handler, f"do_{method}", forward)
    drain.start()
    spool.put([one for name in "ab" for one in trial(name, 2)])
    drain.wake()
    until(lambda: told)
    assert "refuses us (PERMISSION_DENIED: log in again); training goes on" in told[0]
    barred["on"] = False
    drain.finish(20.0)
    assert (drain.fault, drain.refused, len(spool)) == (None, {}, 0)
    assert told[1:] == ["the tracking store answers again"]
    assert histories(link.uri, "barred") == {name: [(1, 1.0), (2, 2.0)] for name in "ab"}


def test_a_sweep_whose_own_run_was_deleted_meanwhile_is_refused(tmp_path: Path, spool: Spool) -> None:
    tracker = opened(empty_store(tmp_path), "s")
    tracker.start([("a", {})])
    run = tracker._opened().run_id
    for one in (tracker._children["a"].run_id, run):
        tracker._store.client.delete_run(one)
    drain = Drain(tracker, spool, lambda told: None)
    drain.start()
    spool.put(trial("a", 2)[1:])
    drain.finish(5.0)
    assert isinstance(drain.fault, UserError)
    assert f"restore --run-id {run}" in str(drain.fault)
    assert len(spool) == 3, "which the next launch may send"


def test_leftovers_whose_files_nobody_takes_hold_nothing_up_and_are_told(
    tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = opened(empty_store(tmp_path), "s")
    tried = []

    def refused(place: str, files: Any) -> None:
        tried.append(place)
        raise LookupError("too large")

    monkeypatch.setattr(tracker._runs, "_put", refused)
    for name in "abc":
        begun, *rest = trial(name, 1)
        spool.put([begun])
        spool.put_files(name, now(), {"x.txt": b"text"})
        spool.put(rest)
    drain = Drain(tracker, spool, lambda told: None)
    drain.leftovers()
    assert len(tried) == 1, "of the first trial"
    assert len(spool) == 3
    unsent = str(drain.unsent())
    assert (
        "does not take all that was measured: artifacts cannot be stored (too large); 3 results wait in"
        in unsent
    )
    monkeypatch.undo()
    again = Drain(tracker, spool, lambda told: None)
    again.leftovers()
    assert again.unsent() is None


def test_a_trial_at_which_the_server_fails_holds_up_no_other(link: Any, spool: Spool) -> None:
    """A server that answers 500 to one trial's words, whatever the reason, is not away for the others."""
    told: list[str] = []
    drain = Drain(opened(link.uri, "poisoned"), spool, told.append)
    real, poisoned = link.handler.forward, {"on": True}

    def forward(handler: Any) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        if poisoned["on"] and b"venom" in body:
            handler.send_error(500)
            return
        handler.rfile = BytesIO(body)
        real(handler)

    link.handler.do_POST = forward
    drain.start()
    begun, *rest = trial("a", 2)
    spool.put([begun, Entry("a", now(), Note({"tradeoff.host": "venom"})), *rest])
    spool.put(trial("b", 2))
    drain.wake()
    until(lambda: told)
    assert told == ["results of trial a cannot be stored (too many 500 error responses); tried again later"]
    assert len(spool) == 4, "of trial a, in their order"
    poisoned["on"] = False
    drain.finish(20.0)
    assert (drain.fault, drain.refused, len(spool)) == (None, {}, 0)
    assert histories(link.uri, "poisoned") == {name: [(1, 1.0), (2, 2.0)] for name in "ab"}
    assert {one.status for one in ResultStore(link.uri).table("poisoned")} == {"finished"}


def test_what_a_trial_tells_at_its_end_goes_in_one_request(link: Any, spool: Spool) -> None:
    """Its evaluations, its tags, and which files it has, once these are there; then its end."""
    tracker = opened(link.uri, "short")
    tracker.start([("a", {"seed": 1})])
    link.requests.clear()
    at = now()
    spool.put([Entry("a", at, Log(1, {"fid": 1.0})), Entry("a", at, Log(2, {"fid": 2.0}, MARKS))])
    spool.put_files("a", at, {"x.txt": b"text", "y/z.txt": b"more"})
    tags = {"tradeoff.host": "here"}
    spool.put([Entry("a", at, Note(tags)), Entry("a", at, Note({"mlflow.note.content": "seen"}))])
    spool.put([Entry("a", at, Finish())])
    drain = Drain(tracker, spool, lambda told: None)
    drain.start()
    drain.finish(20.0)
    assert (drain.fault, len(spool)) == (None, 0)
    told = [path.rpartition("mlflow/")[2].partition("?")[0] for path in link.requests]
    files, (batch, end) = told[:-2], told[-2:]
    assert all("artifacts" in one or one == "runs/get" for one in files)
    assert (batch, end) == ("runs/log-batch", "runs/update")
    run = ResultStore(link.uri).connection().run(next(iter(ResultStore(link.uri).table("short"))).run_id)
    assert histories(link.uri, "short") == {"a": [(1, 1.0), (2, 2.0)]}
    assert {**tags, "mlflow.note.content": "seen"}.items() <= run.tags.items()
    assert set(decode_files(run.tags[FILES])) == {"x.txt", "y/z.txt"}


def test_tags_that_an_outage_kept_back_are_told_once_it_is_over(link: Any, spool: Spool) -> None:
    tracker = opened(link.uri, "kept back")
    tracker.start([("a", {"seed": 1})])
    drain = Drain(tracker, spool, lambda told: None)
    spool.put_files("a", now(), {"x.txt": b"text"})
    spool.put([Entry("a", now(), Note({"tradeoff.host": "here", "mlflow.note.content": "first"}))])
    real, batches = link.handler.forward, {"lost": 0}

    def forward(handler: Any) -> None:
        """Files arrive; what the run says is refused a connection for a while."""
        if "log-batch" in handler.path and batches["lost"] < 20:
            batches["lost"] += 1
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        real(handler)

    link.handler.do_POST = forward
    drain.start()
    until(lambda: batches["lost"] >= 3)
    spool.put([Entry("a", now(), Note({"mlflow.note.content": "second"})), Entry("a", now(), Finish())])
    drain.finish(60.0)
    assert (drain.fault, len(spool)) == (None, 0)
    (trial,) = ResultStore(link.uri).table("kept back")
    run = ResultStore(link.uri).connection().run(trial.run_id)
    assert (trial.status, run.tags["tradeoff.host"], run.tags["mlflow.note.content"]) == (
        "finished",
        "here",
        "second",
    )
    assert set(decode_files(run.tags[FILES])) == {"x.txt"}
    assert sum("artifacts/x.txt" in path or path.endswith("x.txt") for path in link.requests) == 1


def test_runs_begin_and_end_in_the_order_of_their_times(
    tmp_path: Path, spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks at a sweep again asks for what began or ended since the last time that was seen."""
    tracker = opened(empty_store(tmp_path), "s")
    client: Any = tracker._store.client
    began: list[int] = []
    ended: list[int] = []
    create, end = client.create_run, client.set_terminated
    monkeypatch.setattr(
        client, "create_run", lambda *a, **k: began.append(k["start_time"]) or create(*a, **k)
    )
    monkeypatch.setattr(client, "set_terminated", lambda *a: ended.append(a[2]) or end(*a))
    whats = {name: [one.what for one in trial(name, 1)] for name in "abc"}
    spool.put([Entry(name, at, whats[name][0]) for at, name in ((1000, "a"), (2000, "b"), (2000, "c"))])
    for at, name in ((4000, "b"), (5000, "a"), (5000, "c")):
        spool.put([Entry(name, at, what) for what in whats[name][1:]])
    drain = Drain(tracker, spool, lambda told: None)
    drain.start()
    drain.finish(5.0)
    assert drain.fault is None
    assert began == [1000, 2000, 2001]
    assert ended == [4000, 5000, 5001]


def test_a_run_that_somebody_removed_costs_the_others_nothing(tmp_path: Path, spool: Spool) -> None:
    uri, told = empty_store(tmp_path), list[str]()
    tracker = opened(uri, "s")
    tracker.start([("a", {}), ("b", {})])
    tracker._store.client.delete_run(tracker._children["a"].run_id)
    drain = Drain(tracker, spool, told.append)
    drain.start()
    spool.put([one for name in "ab" for one in trial(name, 2)[1:]])
    drain.finish(5.0)
    assert (drain.fault, len(spool)) == (None, 0)
    assert set(drain.refused) == {"a"}
    assert "refuses what trial a tells" in told[0]
    assert histories(uri, "s") == {"b": [(1, 1.0), (2, 2.0)]}
