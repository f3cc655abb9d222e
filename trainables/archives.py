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


def open_archive(path: Path, longest: int = LARGEST_DIRECTORY) -> zipfile.ZipFile:
    """The archive, for reading; ``zipfile.BadZipFile`` if it is none, or its directory is longer than any we read."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, io.SEEK_END) - _TAIL))
        length = _directory(file.read())
    if length > longest:
        raise zipfile.BadZipFile(f"its directory must have at most {longest:,} bytes, got {length:,}")
    return zipfile.ZipFile(path)


def _directory(tail: bytes) -> int:
    """Length of the directory as the last record has it, 0 without one; as that of 64 bits has it, if it stands before.

    They are looked for where ``zipfile`` does: the bytes of a member may look like either.
    """
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 16:
        return 0
    wide = end - 20 - 56  # a pointer stands between the two
    if wide >= 0 and tail[end - 20 : end - 16] == b"PK\x06\x07" and tail[wide : wide + 4] == b"PK\x06\x06":
        return int(struct.unpack_from("<Q", tail, wide + 40)[0])
    return int(struct.unpack_from("<I", tail, end + 12)[0])
