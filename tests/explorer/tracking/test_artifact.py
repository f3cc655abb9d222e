"""A file is put beside those of a run that is over, and replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.tracking import Tracker
from explorer.tracking.artifact import write_artifact
from tests.stores import empty_store


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    tracker.close_sweep(interrupted=False)
    store = ResultStore(uri)
    run = store.parent("demo").run_id
    for content in (b"one", b"two"):
        write_artifact(uri, run, "report.html", content)
        assert store.artifact_bytes(run, "report.html") == content
    with pytest.raises(UserError, match="0000"):
        write_artifact(uri, "0000", "report.html", b"")
