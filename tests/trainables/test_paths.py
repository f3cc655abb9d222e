"""A path that no file could have is refused before anything is opened."""

from __future__ import annotations

import pytest

from trainables.paths import check_path


@pytest.mark.parametrize("path", ["runs", "~/runs", "/data/λ runs/a.pt", "../x", "a/" * 1000 + "b"])
def test_paths_that_could_be(path: str) -> None:
    check_path("storage", path)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("", "must name a file or folder"),
        ("  ", "must name a file or folder"),
        ("a\0b", "without control characters"),
        ("a\nb", "without control characters"),
        ("~nobody_here/x", "must begin with a user of this machine"),
        ("x" * 256, "255 a name"),
        ("ä" * 128, "255 a name"),
        ("abc/" * 1100, "at most 4096 bytes"),
    ],
)
def test_paths_that_could_not(path: str, told: str) -> None:
    with pytest.raises(ValueError, match=f"^storage must .*{told}|{told}"):
        check_path("storage", path)
