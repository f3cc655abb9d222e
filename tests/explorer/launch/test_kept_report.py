"""The report of a sweep that has come to its end lies with its run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.launch import kept_report
from explorer.launch.kept_report import keep_report
from explorer.launch.places import tracking_uri
from explorer.launch.run import Outcome
from explorer.results.store import ResultStore
from explorer.store.schema import REPORT_FILE
from explorer.tracking.artifact import write_artifact
from tests.explorer.launch.small import configs, finish, small_sweep, tracker

DONE = Outcome("small", 2, 2, 0, 0, 16, False)


def test_it_is_kept_where_there_is_anything_new_or_none_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path)
    opened = tracker(sweep)
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    opened.close_sweep(interrupted=False)
    store, heard = ResultStore(tracking_uri(sweep)), list[str]()

    def page() -> bytes | None:
        return store.artifact_bytes(store.parent("small").run_id, REPORT_FILE)

    for outcome in (replace(DONE, interrupted=True), replace(DONE, halted="x")):
        keep_report(sweep, outcome, heard.append)
    assert page() is None
    monkeypatch.setattr(kept_report, "LARGEST", 100)
    keep_report(sweep, DONE, heard.append)
    assert page() is None
    assert heard.pop().startswith("the report is left out: it has")
    monkeypatch.undo()
    keep_report(sweep, replace(DONE, reused=2), heard.append)  # its driver was killed before
    assert b"On the front" in (page() or b"")
    write_artifact(store.uri, store.parent("small").run_id, REPORT_FILE, b"of before")
    keep_report(sweep, replace(DONE, reused=2), heard.append)
    assert page() == b"of before"
    keep_report(sweep, DONE, heard.append)
    assert b"On the front" in (page() or b"")
    assert heard == []


def test_what_goes_wrong_is_told_with_the_command_that_writes_it(tmp_path: Path) -> None:
    heard = list[str]()
    keep_report(small_sweep(tmp_path), DONE, heard.append)
    assert "the report is left out (" in heard[0]
    assert "`tradeoff front small --html FILE` writes it" in heard[0]
