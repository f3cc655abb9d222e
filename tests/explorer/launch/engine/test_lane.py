"""A lane is empty to Ray Tune: what it holds is found elsewhere. Its work is tried through the engine."""

from __future__ import annotations

from pathlib import Path

from explorer.launch.engine.lane import Lane


def test_tunes_own_checkpoints_are_empty(tmp_path: Path) -> None:
    lane = Lane.__new__(Lane)
    assert lane.save_checkpoint(str(tmp_path / "x")) is None
    lane.load_checkpoint(None)
    assert not (tmp_path / "x").exists()
