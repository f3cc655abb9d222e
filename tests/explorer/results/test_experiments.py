"""Experiments whoever wrote them: which there are, and their runs, from a file and through MLflow alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.results.experiments import experiment_runs, outlines
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from tests.explorer.results.test_swift import ByMlflow
from tests.stores import empty_store


@pytest.mark.parametrize("reader", [ResultStore, ByMlflow])
def test_experiments_and_their_runs(tmp_path: Path, reader: type[ResultStore]) -> None:
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    first, empty = (client.create_experiment(name) for name in ("first", "empty"))
    run = client.create_run(first, start_time=5).info.run_id
    client.log_metric(run, "loss", 0.5)
    client.set_terminated(run, end_time=9)
    gone = client.create_run(first, start_time=7).info.run_id
    client.delete_run(gone)
    found = {one.experiment_id: one for one in outlines(reader(uri), (), 10) if one.runs}
    assert list(found) == [first]
    assert found[first] == (first, "first", 1, False, 9)
    assert outlines(reader(uri), {first, empty, "0"}, 10) == []
    (only,) = experiment_runs(reader(uri), first, [])
    assert (only.run_id, only.metrics) == (run, {"loss": 0.5})
    client.create_run(first)
    assert next(one for one in outlines(reader(uri), (), 10) if one.experiment_id == first).running


def test_a_store_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert outlines(ResultStore(f"sqlite:///{tmp_path / 'none.db'}"), (), 10) == []
