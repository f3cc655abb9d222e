"""Single runs: ended, adopted, in the trash and back."""

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.store.connection import Connection
from explorer.store.schema import PARENT, REVISION
from explorer.tracking.repairs import Repairs
from tests.explorer.doctor.broken import again, left_running


def test_runs_are_ended_adopted_and_trashed(tmp_path: Path) -> None:
    left_running(tmp_path)
    run = again(tmp_path, "d" * 12)
    store = Connection(f"sqlite:///{tmp_path / 'mlflow.db'}")
    repairs = Repairs(store.uri)
    repairs.end(run, "killed")
    parent = store.run(run).tags[PARENT]
    other = store.client.create_run(store.run(parent).experiment_id).info.run_id
    repairs.adopt(run, other)
    now = store.run(run)
    assert (now.status, now.tags[PARENT]) == ("killed", other)
    assert REVISION in store.run(other).tags, "who keeps what he read of that sweep reads it again"
    assert now.ended >= now.started > 0
    repairs.trash(run)
    assert store.client.get_run(run).info.lifecycle_stage == "deleted"
    with pytest.raises(UserError, match=f"run {run} cannot be changed"):
        repairs.end(run, "killed")
    store.client.restore_run(run)
    assert store.run(run).tags[PARENT] == other
