"""``tradeoff list`` on real stores: ours, of others, empty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.store.connection import Connection
from explorer.tracking import Tracker
from tests.stores import empty_store


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["list", *arguments])


def test_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    said = run("--tracking-uri", empty_store(tmp_path))
    assert said.exit_code == 0
    assert "yet; begin with `tradeoff sweep demo`" in said.stdout
    assert said.stdout.count("\n") == 1


def test_sweeps_come_with_their_counts_and_experiments_of_others_as_such(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "mine")
    tracker.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    tracker.start([("aa", {}), ("bb", {})])
    tracker.log("aa", 1, {"fid": 1.25})
    tracker.finish("aa")
    tracker.fail("bb", "no memory")
    tracker.close_sweep(interrupted=False)
    client = Connection(uri).client
    client.set_terminated(client.create_run(client.create_experiment("theirs")).info.run_id)
    lines = [" ".join(line.split()) for line in run("--tracking-uri", uri).stdout.splitlines()]
    assert any(line.startswith("demo finished 1 finished, 1 failed fid ↓ 1.25 20") for line in lines)
    assert any(line.startswith("theirs finished 1 ") and line.endswith("is one of others") for line in lines)
    found = json.loads(run("--json", "--tracking-uri", uri).stdout)
    assert found["sweeps"][0]["counts"] == {"finished": 1, "failed": 1}
    assert [one["name"] for one in found["experiments"]] == ["theirs"]
    only = json.loads(run("--json", "--experiment", "theirs", "--tracking-uri", uri).stdout)
    assert (only["sweeps"], len(only["experiments"])) == ([], 1)


@pytest.mark.parametrize("uri", ["sqlite:////nowhere/mlflow.db", "nonsense"])
def test_a_store_that_is_none_is_refused(uri: str) -> None:
    assert run("--tracking-uri", uri).exception is not None
