"""What is no plain file is refused before it is opened, under a name that can be printed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.measure.files import file_size, is_folder, named, reason


def test_files_and_folders_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert is_folder(tmp_path)
    assert not is_folder(tmp_path / "x")
    assert file_size(tmp_path / "x") == 3


def test_what_may_never_end_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "zero.npy").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe.npy", tmp_path / "zero.npy", tmp_path):
        with pytest.raises(UserError, match="must be a plain file, not a folder, pipe or device"):
            file_size(path)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "empty").touch()
    for name, told in (
        ("none", "does not exist; give a"),
        ("nowhere", "does not exist"),
        ("loop", "cannot be looked at: Too many levels of symbolic links"),
        ("x" * 300, "cannot be looked at: File name too long"),
        ("a\0b", "cannot be looked at: embedded null byte"),
        ("empty", "it is an empty file"),
    ):
        with pytest.raises(UserError, match=told):
            file_size(tmp_path / name)


def test_names_are_printable_and_short() -> None:
    assert named(Path("a/b.npy")) == "a/b.npy"
    odd = named(Path(os.fsdecode(b"\xff\x1b[31m" + b"x" * 500)))
    assert odd.isprintable()
    assert len(odd) == 100


def test_a_reason_is_one_line() -> None:
    assert reason(ValueError("first\nsecond")) == "first"
    assert reason(KeyError()) == "KeyError"
    assert reason(OSError(13, "Permission denied", "/a/b")) == "Permission denied"
