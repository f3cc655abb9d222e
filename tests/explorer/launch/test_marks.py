"""A folder is known by its mark, not by its name."""

from __future__ import annotations

from pathlib import Path

from explorer.launch.marks import is_seen, leave_mark


def test_a_folder_of_the_same_name_elsewhere_is_another(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for folder in (here, elsewhere):
        folder.mkdir()
    token = leave_mark(here)
    assert is_seen(here, token)
    assert not is_seen(elsewhere, token)
    assert not is_seen(tmp_path / "nowhere", token)
    leave_mark(elsewhere)
    assert not is_seen(elsewhere, token)
