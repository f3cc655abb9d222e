"""Zip archives, opened only when their directory is short: reading one takes time for every member it names."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

__all__ = ["open_archive"]

LARGEST_DIRECTORY = 1 << 22
"""Bytes; a member takes 46 and its name, so that some 50,000 have room."""

_TAIL = (1 << 16) + 128  # bytes in which an archive's last records lie, its comment included


def open_archive(path: Path) -> zipfile.ZipFile:
    """The archive, for reading; ``zipfile.BadZipFile`` if it is none, or names more members than any file of arrays."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, io.SEEK_END) - _TAIL))
        length = _directory(file.read())
    if length > LARGEST_DIRECTORY:
        raise zipfile.BadZipFile(
            f"its directory must have at most {LARGEST_DIRECTORY:,} bytes, got {length:,}"
        )
    return zipfile.ZipFile(path)


def _directory(tail: bytes) -> int:
    """Length of the directory as the last records have it, 0 without any: the record of 64 bits where there is one."""
    for mark, form, start in ((b"PK\x06\x06", "<Q", 40), (b"PK\x05\x06", "<I", 12)):
        place = tail.rfind(mark)
        if 0 <= place <= len(tail) - start - struct.calcsize(form):
            return int(struct.unpack_from(form, tail, place + start)[0])
    return 0
