"""The tag of a promoted run: set, replaced, taken away twice, and left alone by a launch."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.store.connection import Connection
from explorer.store.schema import PROMOTED
from explorer.tracking import Tracker
from explorer.tracking.promotion import write_promotion
from tests.stores import empty_store


def test_the_tag_is_written_and_stays_when_the_trial_goes_on(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    tracker.start([("t", {"seed": 0})])
    run = tracker._child("t").run_id
    write_promotion(uri, run, "one")
    write_promotion(uri, run, "two")
    tracker.finish("t")
    again = Tracker(uri, "tests")
    again.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    again.start([("t", {"seed": 0})])
    store = Connection(uri)
    assert store.run(run).tags[PROMOTED] == "two"
    write_promotion(uri, run, None)
    write_promotion(uri, run, None)
    assert PROMOTED not in store.run(run).tags


def test_a_run_that_is_not_there_is_told(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    for text in ("x", None):
        with pytest.raises(UserError, match="0000"):
            write_promotion(uri, "0000", text)
