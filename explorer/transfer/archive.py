"""The archive of a sweep: a zip of ``manifest.json``, ``runs.jsonl`` and artifacts, each content once.

It is written beside its place and moved there when whole. Equal sweeps make equal archives: nothing in one tells when
or where it was made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from explorer.errors import UserError, brief, root_cause
from explorer.transfer.archive_lines import ArchivedFile, ArchivedRun, line_of
from trainables.paths import check_path

__all__ = ["FORMAT", "MANIFEST", "RUNS", "VERSION", "ArchiveWriter", "check_target", "writing"]

FORMAT, VERSION = "tradeoff-sweep", 1
MANIFEST, RUNS, ARTIFACTS = "manifest.json", "runs.jsonl", "artifacts/"

BLOCK = 1 << 20
PACKED = 1 << 26
"""Bytes up to which a file is packed: larger ones are weights and samples, which hardly shrink."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ArchiveWriter:
    """An archive that grows run by run; what is held of it is a hash per content."""

    def __init__(self, archive: zipfile.ZipFile, lines: IO[bytes]) -> None:
        self._archive, self._lines = archive, lines
        self._members: dict[str, str] = {}
        self._digest = hashlib.sha256()
        self._runs = 0
        self.size = 0

    def folder(self, trial: str | None) -> str:
        """Where the files of the next run go."""
        named = f"-{trial}" if trial is not None and _PLAIN.fullmatch(trial) else ""
        return f"{ARTIFACTS}{self._runs}{named}"

    def add_file(self, path: str, file: Path, trial: str | None) -> ArchivedFile:
        """A file of the next run: stored, unless one of equal content was before."""
        with file.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        size = file.stat().st_size
        if sha256 not in self._members:
            self._members[sha256] = f"{self.folder(trial)}/{path}"
            self._add(self._members[sha256], file, packed=size <= PACKED)
            self.size += size
        return ArchivedFile(self._members[sha256], sha256, size)

    def add_run(self, run: ArchivedRun) -> None:
        """A run whose files are there."""
        line = line_of(run)
        self._digest.update(line)
        self._lines.write(line)
        self._runs += 1

    def close(self, lines: Path, sweep: str, experiment: str, artifacts: bool) -> None:
        """The lines, and what the archive is."""
        self._lines.close()
        self._add(RUNS, lines, packed=True)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "sweep": sweep,
            "experiment": experiment,
            "runs": self._runs,
            "artifacts": artifacts,
            "sha256": self._digest.hexdigest(),
        }
        self._archive.writestr(_info(MANIFEST, True), json.dumps(manifest, indent=1) + "\n")

    def _add(self, member: str, file: Path, packed: bool) -> None:
        info = _info(member, packed)
        with file.open("rb") as source, self._archive.open(info, "w", force_zip64=True) as target:
            shutil.copyfileobj(source, target, BLOCK)


def _info(member: str, packed: bool) -> zipfile.ZipInfo:
    """No time of day, and rights that are the same everywhere."""
    info = zipfile.ZipInfo(member, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    info.create_system, info.external_attr = 3, 0o644 << 16
    return info


def check_target(file: Path) -> None:
    """Refuse a place where no archive can be made, before the work for it is done."""
    told = brief(str(file), 120)
    if file.suffix.lower() != ".zip":
        raise UserError(f"an archive must be a file that ends in .zip, got '{told}'")
    try:
        check_path("FILE", str(file))
        if file.is_dir() or (file.exists() and not file.is_file()):
            raise UserError(f"an archive must be a file, and '{told}' is none; give another name")
        if not file.parent.is_dir():
            raise UserError(f"an archive cannot be written to '{told}': there is no folder '{file.parent}'")
        if not os.access(file.parent, os.W_OK):
            raise UserError(
                f"an archive cannot be written to '{told}': permission denied; choose another place"
            )
    except (OSError, ValueError) as error:
        raise UserError(f"an archive cannot be written to '{told}' ({root_cause(error)})") from error


@contextmanager
def writing(file: Path, sweep: str, experiment: str, artifacts: bool) -> Iterator[ArchiveWriter]:
    """An archive at its place when the block is over; nothing there, or what was there, if it does not end well."""
    check_target(file)
    beside = TemporaryDirectory(
        prefix=f".{file.name[:100]}.", suffix=".making", dir=file.parent, ignore_cleanup_errors=True
    )
    try:
        with beside as folder:
            made, lines = Path(folder) / "archive.zip", Path(folder) / RUNS
            with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, lines.open("wb") as told:
                writer = ArchiveWriter(archive, told)
                yield writer
                writer.close(lines, sweep, experiment, artifacts)
            made.replace(file)
    except OSError as error:
        raise UserError(
            f"archive '{brief(str(file), 120)}' cannot be written ({root_cause(error)}); make room, or choose another "
            "place"
        ) from error
