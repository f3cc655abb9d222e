"""Writer and reader against a real MLflow server, through a link that can fail in the ways links fail."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.connection import Connection, TrackingUnavailable
from explorer.store.schema import PLAIN, At, metric_key
from explorer.store.stop import Stop
from explorer.tracking import Tracker

MARKS = {PLAIN: "a", At("obrs", 2.0): "b"}


def opened(link, sweep, **kwargs):
    tracker = Tracker(link.uri, "tests", **kwargs)
    tracker.open_sweep(sweep, {"fid": "min"}, "over the wire", "name: x\n", '{"metrics": []}')
    return tracker


def test_a_sweep_over_http_reads_back(link, capfd):
    tracker = opened(link, "plain")
    tracker.start([("a", {"objective.lam": 0.5, "seed": 1})])
    tracker.log("a", 5, {"fid": 1.5, "recall": float("nan"), metric_key(At("obrs", 2.0), "fid"): 1.0}, MARKS)
    tracker.artifacts("a", {"curve.json": '{"lambda": [1]}'})
    tracker.finish("a")
    tracker.close_sweep(interrupted=False)
    assert capfd.readouterr().out == "", "MLflow prints addresses of runs unless told not to"

    store = ResultStore(link.uri)
    assert [(s.name, s.status, s.trials) for s in store.sweeps() if s.name == "plain"] == [
        ("plain", "finished", 1)
    ]
    (trial,) = store.table("plain")
    assert (trial.status, dict(trial.params)) == ("finished", {"objective.lam": 0.5, "seed": 1})
    assert trial.readings == {PLAIN: {"fid": 1.5}, At("obrs", 2.0): {"fid": 1.0}}
    assert trial.marks == MARKS
    assert store.artifact_json(trial.run_id, "curve.json") == {"lambda": [1]}
    assert store.artifact_bytes(trial.run_id, "absent.png") is None
    assert store.history(trial.run_id, "fid") == [(5, 1.5)]
    assert opened(link, "plain")._children["a"].last_step == 5


def test_a_server_is_asked_for_few_runs_at_a_time(link, monkeypatch):
    opened(link, "paged").start([(name, {}) for name in "abcde"])
    monkeypatch.setattr("explorer.store.connection.FAR_PAGE", 2)
    store = Connection(link.uri)
    asked = []
    search = store.client.search_runs
    monkeypatch.setattr(
        store.client, "search_runs", lambda *a, **k: asked.append(k["max_results"]) or search(*a, **k)
    )
    found = list(store.search([store.experiment("tests")], {"tradeoff.sweep": "paged"}))
    assert {run.tags.get("tradeoff.trial") for run in found} == {None, *"abcde"}
    assert len(found) == 6
    assert set(asked) == {2}
    assert len(asked) >= 3


def test_lost_answers_duplicate_nothing(link):
    link.lose = ["runs/create"]
    tracker = opened(link, "lossy")
    assert link.lose == []
    link.lose = ["runs/create", "runs/log-batch", "runs/update"]
    tracker.start([("a", {"seed": 1})])
    tracker.fail("a", "first time")
    assert link.lose == []
    link.lose = ["runs/delete-tag", "runs/log-batch"]
    tracker.start([("a", {"seed": 1})])
    tracker.log("a", 1, {"fid": 2.0})
    tracker.finish("a")
    tracker.close_sweep(interrupted=False)
    assert link.lose == []

    store = ResultStore(link.uri)
    assert [s.trials for s in store.sweeps() if s.name == "lossy"] == [1]
    (trial,) = store.table("lossy")
    assert (trial.status, trial.reason, dict(trial.params)) == ("finished", None, {"seed": 1})
    assert store.history(trial.run_id, "fid") == [(1, 2.0)]


def test_an_evaluation_is_one_request(link):
    tracker = opened(link, "counted")
    tracker.start([("a", {})])
    link.requests.clear()
    tracker.log("a", 1, {f"m{i}": float(i) for i in range(300)}, MARKS)
    assert len(link.requests) == 1
    assert link.requests[0].endswith("runs/log-batch")


def test_a_reading_whose_answer_was_lost_is_stored_once(link):
    tracker = opened(link, "again")
    tracker.start([("a", {})])
    tracker.log("a", 1, {"fid": 2.0}, MARKS)
    link.lose = ["runs/log-batch"]
    tracker.log("a", 1, {"fid": 3.0}, {**MARKS, PLAIN: "c"})
    assert link.lose == []
    stop = Stop(1, "b", "no goal improved")
    tracker.finish("a", stop.text())
    (trial,) = ResultStore(link.uri).table("again")
    assert (trial.metrics, trial.marks[PLAIN], trial.stopped) == ({"fid": 3.0}, "c", stop)
    assert ResultStore(link.uri).history(trial.run_id, "fid") == [(1, 3.0)]


def test_of_several_artifacts_those_that_were_taken_are_not_sent_again(link):
    tracker = opened(link, "files", patience=0.1)
    tracker.start([("a", {})])
    files = {"first.txt": "1", "model/second.txt": "2"}
    link.refuse = ["second.txt"]
    with pytest.raises(TrackingUnavailable):
        tracker.artifacts("a", files)
    link.refuse = []
    tracker.artifacts("a", files)
    assert [sum(name in path for path in link.requests) for name in ("first.txt", "second.txt")] == [1, 1]
    assert set(opened(link, "files")._children["a"].files) == set(files)


def test_server_away_for_a_while_is_waited_for(link):
    tracker = opened(link, "patient")
    tracker.start([("a", {})])
    link.down()
    came_back = []

    def restore():
        came_back.append(True)
        link.up()

    back = threading.Timer(1.5, restore)
    back.start()
    tracker.log("a", 1, {"fid": 2.0})
    assert came_back, "nothing can be stored before the link is back"
    back.join()
    (trial,) = ResultStore(link.uri).table("patient")
    assert trial.metrics == {"fid": 2.0}


def test_server_away_for_good_is_told_and_the_sweep_goes_on_later(link):
    tracker = opened(link, "impatient", patience=0.6)
    tracker.start([("a", {})])
    link.down()
    with pytest.raises(TrackingUnavailable, match="run the same command again"):
        tracker.log("a", 1, {"fid": 2.0})
    link.up()
    again = opened(link, "impatient")
    again.start([("a", {})])
    again.log("a", 1, {"fid": 2.0})
    again.finish("a")
    again.close_sweep(interrupted=False)
    (trial,) = ResultStore(link.uri).table("impatient")
    assert (trial.status, trial.metrics) == ("finished", {"fid": 2.0})


def test_a_server_that_takes_calls_and_never_answers_is_told(monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen()
        uri = f"http://127.0.0.1:{hole.getsockname()[1]}"
        with pytest.raises(
            TrackingUnavailable, match=r"does not answer \(.*\); bring it back or set tracking"
        ):
            Tracker(uri, "x", patience=0.1)


@pytest.mark.parametrize(
    ("status", "body"), [(200, "hello"), (200, "[1]"), (404, "<h1>no</h1>"), (401, "who?")]
)
def test_a_server_that_is_not_mlflow_is_one_sentence(status, body):
    class Other(BaseHTTPRequestHandler):
        def answer(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    other = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        store = ResultStore(f"http://127.0.0.1:{other.server_port}")
        store._open = Connection(store.uri, patience=0.1)
        with pytest.raises(UserError) as refusal:
            store.sweeps()
    finally:
        other.shutdown()
        other.server_close()
    assert "tracking store 'http://127.0.0.1" in str(refusal.value)
