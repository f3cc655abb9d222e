"""A document is written whole, or its place is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.html import write_html


def test_a_document_is_written_whatever_its_text_holds(tmp_path: Path) -> None:
    write_html(tmp_path / "page.html", "λ \ud800")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "λ ?"


def test_a_place_that_takes_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the report must go to a writable file, got '.*': Is a directory"):
        write_html(tmp_path, "", "report")
