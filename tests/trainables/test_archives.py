"""An archive is opened if its directory is short; how many members it names is told by its last bytes."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from trainables.archives import LARGEST_DIRECTORY, open_archive


def archive(path: Path, members: int, comment: bytes = b"", name: int = 200) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        made.comment = comment
        for index in range(members):
            made.writestr(f"{index:0{name}}", b"")
    return path


@pytest.mark.parametrize("comment", [b"", b"x" * 65535])
def test_an_archive_is_read(tmp_path: Path, comment: bytes) -> None:
    with open_archive(archive(tmp_path / "a.zip", 3, comment, name=2)) as opened:
        assert opened.namelist() == ["00", "01", "02"]


@pytest.mark.parametrize("comment", [b"", b"x" * 65535])
def test_more_members_than_a_file_of_arrays_has_are_not_read(tmp_path: Path, comment: bytes) -> None:
    path = archive(tmp_path / "a.zip", LARGEST_DIRECTORY // 246 + 1, comment)
    assert zipfile.is_zipfile(path)
    with pytest.raises(
        zipfile.BadZipFile, match="its directory must have at most 4,194,304 bytes, got 4,194"
    ):
        open_archive(path)


def test_the_record_of_64_bits_counts(tmp_path: Path) -> None:
    record = b"PK\x06\x06" + bytes(36) + struct.pack("<QQ", 1 << 40, 0)  # 56 bytes
    (tmp_path / "a.zip").write_bytes(
        record + b"PK\x06\x07" + bytes(16) + b"PK\x05\x06" + b"\xff" * 16 + bytes(2)
    )
    with pytest.raises(
        zipfile.BadZipFile, match=r"its directory must have at most .*, got 1,099,511,627,776"
    ):
        open_archive(tmp_path / "a.zip")


@pytest.mark.parametrize(
    "content", [b"", b"PK\x05\x06", b"PK\x06\x06" + bytes(20), b"no archive at all" * 10]
)
def test_what_is_no_archive_is_refused_as_ever(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(zipfile.BadZipFile, match="not a zip file"):
        open_archive(tmp_path / "a")


def test_members_may_look_like_records(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("x", b"PK\x06\x06" + b"\xff" * 60 + b"PK\x05\x06" + b"\xff" * 60)
    with open_archive(tmp_path / "a.zip") as opened:
        assert opened.namelist() == ["x"]
