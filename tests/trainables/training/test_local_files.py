"""Files in a folder: whole or absent, also on a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from trainables.training.local_files import LocalFiles


def test_a_file_is_forced_to_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = LocalFiles(tmp_path)
    files.write("a", "5.pt", b"before")
    forced: list[int] = []

    def full(descriptor: int) -> None:
        forced.append(os.fstat(descriptor).st_size)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write("a", "5.pt", b"the new state")
    assert forced == [len(b"the new state")]
    assert files.names("a") == ["5.pt"], "half a file is not left on a full disk"
    assert files.read("a", "5.pt") == b"before"


def test_a_name_that_is_a_folder_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "5.pt").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        LocalFiles(tmp_path).write("a", "5.pt", b"state")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["5.pt"]


def test_folders_of_trials_are_renamed_unless_there_is_one(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    for trial in ("old-1", "old-2", "new-2"):
        files.write(trial, "5.pt", trial.encode())
    files.rename_trials({"new-1": "old-1", "new-2": "old-2", "new-3": "old-3"})
    assert files.listing() == {"new-1": ["5.pt"], "new-2": ["5.pt"], "old-2": ["5.pt"]}
    assert files.read("new-2", "5.pt") == b"new-2"


def test_places_are_paths(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    assert files.place() == str(tmp_path)
    assert files.place("a") == str(tmp_path / "a")
    assert files.place("a", "5.pt") == str(tmp_path / "a" / "5.pt")
