"""A memo in a file: whole or not at all, and its faults are the user's to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.memo_file import FileMemo


def test_what_is_saved_is_loaded_and_nothing_else_lies_there(tmp_path: Path) -> None:
    memo = FileMemo(tmp_path / "studies" / "a-1.json")
    assert memo.load() is None
    for text in ("one", "λ, longer than before"):
        memo.save(text)
        assert memo.load() == text
    assert [file.name for file in memo.file.parent.iterdir()] == ["a-1.json"]


def test_a_save_that_was_cut_short_leaves_the_one_before(tmp_path: Path) -> None:
    memo = FileMemo(tmp_path / "a.json")
    memo.save("whole")
    (tmp_path / ".a.json.partial").write_text("ha")  # as a process leaves it that is killed meanwhile
    assert memo.load() == "whole"
    memo.save("next")
    assert memo.load() == "next"


def test_a_damaged_one_is_set_aside_under_a_free_name(tmp_path: Path) -> None:
    memo = FileMemo(tmp_path / "a.json")
    for number, text in enumerate((b"{", b"\xff\xfe"), start=1):
        memo.file.write_bytes(text)
        assert memo.load() is not None
        assert memo.set_aside() == str(tmp_path / f"a.json.aside-{number}")
        assert memo.load() is None
        assert (tmp_path / f"a.json.aside-{number}").read_bytes() == text


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "studies").write_text("a file")
    with pytest.raises(
        UserError, match=r"what the search asks cannot be kept in '.*a\.json' \((File exists|Not a)"
    ):
        FileMemo(tmp_path / "studies" / "a.json").save("x")
