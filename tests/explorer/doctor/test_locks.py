"""Lock files that nobody holds are deleted; one that is held stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.doctor.finding import Subject
from explorer.doctor.locks import check_locks
from explorer.launch.lock import sweep_lock


def test_what_is_held_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    (none,) = check_locks(Subject("sqlite:///x"))
    assert (none.state, none.sentence) == ("ok", "0 locks held by processes that run")
    with sweep_lock("mine"):
        (tmp_path / "locks" / "left.lock").write_text("12345")
        (one,) = check_locks(Subject("sqlite:///x"))
        assert one.sentence == "1 lock held by processes that run; 1 file of locks that nobody holds"
        assert one.repair is not None
        assert one.repair() == "1 file of locks deleted"
        assert [file.name for file in (tmp_path / "locks").glob("*.lock")] == ["mine.lock"]
