"""Results of packs reach books, store and display, whoever sends them; what is over is not written twice."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.launch.earlier import Earlier
from explorer.launch.faults import Death
from explorer.launch.inbox import Inbox
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.portraits import Portraits
from explorer.launch.progress import Progress
from explorer.launch.provenance import Origin
from explorer.search.points.source import GridSource
from tests.explorer.launch.small import configs, made_up, small_sweep, stored
from tests.explorer.launch.small import recorder as made_recorder

GOALS = parse_goals({"fid": "min"})


def test_a_pack_begins_is_heard_of_and_given_up(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: 0)
    ledger.refill(10, 64)
    pack = ledger.next_pack()
    assert pack is not None
    recorder = made_recorder(sweep)
    heard = StringIO()
    with Progress(Console(file=heard, width=200), 2, 16, GOALS) as progress:
        inbox = Inbox(ledger, recorder, progress)
        inbox.begin("p", pack)
        inbox.take("p", {"reached": 8, "said": ["a file was set aside"]})
        assert progress.iterations == 8
        result = {"reached": 16, "payload": pickle.dumps({first: (made_up(8, True), None)})}
        inbox.take("p", result)
        inbox.take("p", {**result, "payload": pickle.dumps({first: (made_up(9, True), None)})})
        inbox.give_up(pack.trials, Death("memory", "MemoryError: too large"))
        assert inbox.failures == 1
    recorder.close(interrupted=False)
    assert dict(ledger.settled[first].metrics)["fid"] == 9.0, "the first word counts"
    assert ledger.settled[second] == Settled({}, "MemoryError: too large")
    assert {i: t.status for i, t in stored(sweep).items()} == {first: "finished", second: "failed"}
    assert stored(sweep)[first].metrics["fid"] == 9.0
    kinds = {i: t.outcome for i, t in stored(sweep).items()}
    assert kinds == {first: None, second: "memory"}
    assert heard.getvalue().count("note: a file was set aside") == 1
    assert "1 trial failed: MemoryError: too large" in heard.getvalue()


class FullBooks(GridSource):
    """A search that cannot note what it is told."""

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:
        raise UserError("the disk is full")


def test_a_search_that_fails_costs_no_result_of_the_pack(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    ledger = Ledger(sweep, FullBooks(sweep.space), Earlier(), lambda trial: 0)
    ledger.refill(10, 64)
    pack = ledger.next_pack()
    assert pack is not None
    recorder = made_recorder(sweep)
    with Progress(Console(file=StringIO()), 2, 16, GOALS) as progress:
        inbox = Inbox(ledger, recorder, progress)
        inbox.begin("p", pack)
        results = {trial: (made_up(8, True), None) for trial in configs(sweep)}
        with pytest.raises(UserError, match="the disk is full"):
            inbox.take("p", {"reached": 16, "payload": pickle.dumps(results)})
    recorder.close(interrupted=True)
    assert {trial.status for trial in stored(sweep).values()} == {"finished"}
    assert len(stored(sweep)) == 2


def test_trials_whose_base_failed_are_recorded_with_its_reason(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, base={"objective": {"name": "gan"}}, start={"from": "base"})
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: 0)
    recorder = made_recorder(sweep)
    heard = StringIO()
    with Progress(Console(file=heard, width=200), 3, 16, GOALS) as progress:
        inbox = Inbox(ledger, recorder, progress)
        ledger.refill(10, 64)
        pack = ledger.next_pack()
        assert pack is not None
        (base,) = pack.trials
        inbox.begin("p", pack)
        payload = pickle.dumps({base.id: (made_up(4, False, diverged="diverged: nan"), None)})
        inbox.take("p", {"reached": 4, "payload": payload})
    recorder.close(interrupted=False)
    found = stored(sweep)
    assert found[base.id].outcome == "diverged"
    for trial in configs(sweep):
        assert (found[trial].status, found[trial].outcome) == ("failed", "base"), "they may be tried again"
        assert found[trial].reason == f"its base {base.id} failed: diverged: nan"
        assert found[trial].params["start.from"] == base.id
    assert "failed: its base" in heard.getvalue()


def test_runs_say_where_their_trials_are_trained_and_how_they_are_repeated(tmp_path: Path) -> None:
    from mlflow import MlflowClient

    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: 0)
    ledger.refill(10, 64)
    pack = ledger.next_pack()
    assert pack is not None
    recorder = made_recorder(sweep)
    with Progress(Console(file=StringIO()), 2, 16, GOALS) as progress:
        inbox = Inbox(ledger, recorder, progress, Portraits(sweep, ""))
        inbox.begin("p", pack)
        where = Origin({"tradeoff.host": "node-7"}, "ring", "abc123", "{}")
        over = {trial: (made_up(8, True), None) for trial in (first, second)}
        inbox.take("p", {"reached": 16, "origin": where, "payload": pickle.dumps(over)})
    recorder.close(interrupted=False)
    client = MlflowClient(tracking_uri=sweep.tracking.uri)
    for trial in stored(sweep).values():
        run = client.get_run(trial.run_id)
        assert run.info.run_name in ("lam 1", "lam 5")
        tags = run.data.tags
        assert (tags["tradeoff.host"], tags["tradeoff.dataset.digest"]) == ("node-7", "abc123")
        assert f"-r {trial.run_id} -a repeat -d" in tags["tradeoff.command"]
        assert f"get-artifact?path=thumb.png&run_uuid={trial.run_id}" in tags["mlflow.note.content"]
        (used,) = run.inputs.dataset_inputs
        assert (used.dataset.name, used.dataset.digest) == ("ring", "abc123")
        assert [one.path for one in client.list_artifacts(trial.run_id, "repeat")] == ["repeat/repeat.yaml"]
