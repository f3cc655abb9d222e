"""A page that could not be written is refused before the work for it is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from explorer.cli.target import check_page
from explorer.errors import UserError


def test_a_new_page_and_an_old_one_are_let_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page(Path("new.html"))
    (tmp_path / "old.html").write_text("old")
    check_page(tmp_path / "old.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.html"]


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("", "is a folder; give a name in it"),
        ("no/page.html", "there is no folder"),
        ("file/page.html", "there is no folder"),
        ("a\0b.html", "without control characters"),
        ("x" * 300, "255 a name"),
        ("pipe", "must be a file, but .* is none"),
        ("loop", "must not be a link that leads back to itself"),
        ("dangling", "there is no folder"),
        ("/dev/full", "must be a file, but .* is none"),
        ("/proc/page.html", "the page cannot be written to"),
    ],
)
def test_a_place_for_no_page_is_refused(place: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "page.html")
    with pytest.raises(UserError, match=told):
        check_page(tmp_path / place)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match="permission denied"):
        check_page(tmp_path / "page.html")


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    samples, other = tmp_path / "samples.npy", tmp_path / "other.npy"
    samples.write_text("numbers")
    (tmp_path / "link.html").symlink_to(samples)
    with pytest.raises(UserError, match=r"would be written over .*, which is read"):
        check_page(tmp_path / "link.html", other, samples)
    check_page(tmp_path / "page.html", other, samples)
