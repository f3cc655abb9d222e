"""An archive as it is read: gone through whole before anything of it is used, since anybody may have made it."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from explorer.errors import UserError, brief, root_cause
from explorer.store.foreign import load_json
from explorer.transfer.archive import ARTIFACTS, BLOCK, FORMAT, MANIFEST, RUNS, VERSION
from explorer.transfer.archive_lines import ArchivedFile, ArchivedRun, is_path, read_line
from trainables.archives import open_archive

__all__ = ["Archive", "is_archive", "opened_archive"]

LONGEST_DIRECTORY = 1 << 26
"""Bytes; some 500,000 artifacts have room."""
LONGEST_MANIFEST = 1 << 16
LONGEST_LINE = 1 << 28
"""Bytes of one run: some 10^7 points."""
LARGE, DENSE, ALL = 1 << 26, 200, 1 << 30
"""A member of more bytes than this, packed more times than this, is a bomb; so are all that together are."""
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

RUINED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)
"""How a damaged file makes itself known to ``zipfile``, and what we say of one."""

Stage = Callable[[str], None]


def is_archive(file: Path) -> bool:
    """Whether a file begins as a zip does, or is called one."""
    try:
        with file.open("rb") as content:
            return content.read(4) == b"PK\x03\x04" or file.suffix.lower() == ".zip"
    except OSError:
        return False


@dataclass(frozen=True)
class Archive:
    """An archive that has been gone through.

    Attributes:
        sweep, experiment: what it is of, and where that lay.
        runs: how many, the sweep's own among them.
        digest: the hash of all that is in it.
    """

    _file: Path
    _zip: zipfile.ZipFile
    sweep: str
    experiment: str
    runs: int
    digest: str

    def lines(self) -> Iterator[ArchivedRun]:
        """Run by run, the sweep's own first."""
        digest, count = hashlib.sha256(), 0
        with _told(self._file), self._zip.open(RUNS) as lines:
            while line := lines.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise ValueError(f"run {count} has more than {LONGEST_LINE:,} bytes")
                digest.update(line)
                run, fault = _read(line)
                if run is None:
                    raise ValueError(f"run {count} {fault}")
                if (run.trial is None) != (count == 0):
                    raise ValueError(
                        f"run {count} is not the {'trial' if count else 'sweep'} that it must be"
                    )
                count += 1
                yield run
        if (count, digest.hexdigest()) != (self.runs, self.digest):
            raise ValueError("its runs are not those that its manifest tells of")

    def extract(self, file: ArchivedFile, target: Path | None) -> None:
        """An artifact, to a path if there is one; its bytes must be those that its run tells of."""
        digest, size = hashlib.sha256(), 0
        with _told(self._file):
            with self._zip.open(file.member) as content, _opened(target) as out:
                while block := content.read(BLOCK):
                    size += len(block)
                    digest.update(block)
                    out.write(block)
            if (size, digest.hexdigest()) != (file.size, file.sha256):
                raise ValueError(f"'{brief(file.member)}' is not what its run tells of")

    def check(self, stage: Stage) -> None:
        """Every run and every file, once. O(bytes)."""
        seen: dict[str, ArchivedFile] = {}
        trials: set[str] = set()
        for number, one in enumerate(self.lines()):
            if one.trial in trials:
                raise ValueError(f"trial '{brief(str(one.trial))}' is in it twice")
            trials |= {one.trial} if one.trial is not None else set()
            stage(f"checking run {number} of {self.runs - 1}")
            for file in one.files.values():
                if seen.setdefault(file.member, file) != file:
                    raise ValueError(f"'{brief(file.member)}' is told of in two ways")
        for number, file in enumerate(seen.values(), start=1):
            stage(f"checking file {number} of {len(seen)}")
            self.extract(file, None)


@contextmanager
def opened_archive(file: Path, stage: Stage = lambda told: None) -> Iterator[Archive]:
    """An archive, checked; whatever is wrong with it, now or later, is one sentence."""
    with _told(file):
        size = _plain_size(file)
        opened = open_archive(file, LONGEST_DIRECTORY)
    with opened:
        with _told(file):
            _check_members(opened, size)
            archive = _described(file, opened)
            archive.check(stage)
        yield archive


def _read(line: bytes) -> tuple[ArchivedRun | None, str]:
    """A run, or why a line is none."""
    try:
        return read_line(line), ""
    except ValueError as error:
        return None, str(error)


def _opened(target: Path | None) -> IO[bytes]:
    """A new file; nowhere, if there is no path."""
    return Path(os.devnull).open("wb") if target is None else target.open("xb")


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What damaged or made-up archives stumble over; a full disk is none of it."""
    try:
        yield
    except UserError:
        raise
    except RUINED as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise UserError(
            f"'{brief(str(file), 120)}' must be a whole archive of `tradeoff export`, and is not "
            f"({root_cause(error, 140)}); export the sweep again"
        ) from error


def _plain_size(file: Path) -> int:
    found = file.stat()
    if not stat.S_ISREG(found.st_mode):
        raise UserError(
            f"an archive must be a file, and '{brief(str(file), 120)}' is none; give another name"
        )
    return found.st_size


def _check_members(archive: zipfile.ZipFile, size: int) -> None:
    """What is in it by name, before anything is unpacked."""
    members = archive.infolist()
    twice = [name for name, times in Counter(one.filename for one in members).most_common(1) if times > 1]
    if twice:
        raise ValueError(f"'{brief(twice[0])}' is in it twice")
    for one in members:
        name = one.filename
        if name not in (MANIFEST, RUNS) and not (name.startswith(ARTIFACTS) and is_path(name)):
            raise ValueError(f"'{brief(name)}' is no part of one")
        if one.compress_type not in _PACKINGS or one.flag_bits & 1:
            raise ValueError(f"'{brief(name)}' is packed or locked in a way that none is")
        if one.file_size > max(LARGE, DENSE * one.compress_size):
            raise ValueError(f"'{brief(name)}' grows from {one.compress_size:,} to {one.file_size:,} bytes")
    whole = sum(one.file_size for one in members)
    if whole > max(ALL, DENSE * size):
        raise ValueError(f"it grows from {size:,} to {whole:,} bytes")


def _described(file: Path, archive: zipfile.ZipFile) -> Archive:
    if archive.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
        raise ValueError(f"its {MANIFEST} has more than {LONGEST_MANIFEST:,} bytes")
    raw = load_json(archive.read(MANIFEST))
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ValueError(f"its {MANIFEST} tells of another format")
    if raw.get("version") != VERSION:
        raise ValueError(f"its version is {brief(str(raw.get('version')), 20)}, and this one reads {VERSION}")
    archive.getinfo(RUNS)
    return Archive(file, archive, *_facts(raw))


def _facts(raw: Mapping[str, Any]) -> tuple[str, str, int, str]:
    sweep, experiment, runs, digest = (raw.get(key) for key in ("sweep", "experiment", "runs", "sha256"))
    if not isinstance(sweep, str) or not 0 < len(sweep) <= 1000:
        raise ValueError(f"its {MANIFEST} names no sweep")
    if not isinstance(experiment, str) or not 0 < len(experiment) <= 500 or not experiment.isprintable():
        raise ValueError(f"its {MANIFEST} names no experiment")
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise ValueError(f"its {MANIFEST} tells of no runs")
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError(f"its {MANIFEST} has no sha256")
    return sweep, experiment, runs, digest
