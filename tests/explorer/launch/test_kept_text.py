"""A text beside the checkpoints: whole or not at all, and its faults are the user's to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.kept_text import KeptText
from trainables.training.local_files import LocalFiles


def kept(folder: Path) -> KeptText:
    return KeptText(LocalFiles(folder).document("a-1"))


def test_what_is_saved_is_loaded_and_nothing_else_lies_there(tmp_path: Path) -> None:
    memo = kept(tmp_path)
    assert memo.load() is None
    for text in ("one", "λ, longer than before"):
        memo.save(text)
        assert memo.load() == text
    assert [file.name for file in (tmp_path / "studies").iterdir()] == ["a-1.json"]


def test_a_damaged_one_is_set_aside_under_a_free_name(tmp_path: Path) -> None:
    memo, file = kept(tmp_path), tmp_path / "studies" / "a-1.json"
    for number, text in enumerate((b"{", b"\xff\xfe"), start=1):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text)
        assert memo.load() is not None
        aside = file.with_name(f"a-1.json.aside-{number}")
        assert memo.set_aside() == str(aside)
        assert memo.load() is None
        assert aside.read_bytes() == text


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "studies").write_text("a file")
    with pytest.raises(
        UserError, match=r"what the search asks cannot be kept in '.*a-1\.json' \((File exists|Not a)"
    ):
        kept(tmp_path).save("x")
