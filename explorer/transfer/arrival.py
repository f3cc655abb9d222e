"""A sweep that comes to a store: held while it is written, each trial once, gone on with where it was cut off."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from explorer.errors import UserError, brief, shown
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.schema import SWEEP_FILE
from explorer.store.whole import WholeRun
from explorer.tracking import Intake, Lease
from explorer.transfer.archive_lines import ArchivedRun, line_of
from explorer.transfer.archive_reading import Archive, opened_archive
from explorer.transfer.portrayal import sum_up
from explorer.words import counted

__all__ = ["EXPERIMENT", "Arrival", "check_name", "import_archive", "named_like", "taking"]

EXPERIMENT = "tradeoff-explorer"
"""Where what others wrote goes, unless another one is named."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Stage = Callable[[str], None]


class Arrival(NamedTuple):
    """What came: trials that were written, and those that were there already; ``notes``: what is otherwise here."""

    sweep: str
    uri: str
    written: int
    known: int
    notes: tuple[str, ...] = ()

    def sentence(self) -> str:
        """In one line."""
        there = f", {counted(self.known, 'trial')} there already" if self.known else ""
        return f"sweep {self.sweep}: {counted(self.written, 'trial')} imported{there}"


def check_name(name: str) -> str:
    """A name that a sweep can have."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"a sweep's name is letters, digits, '.', '_' or '-', at most 100 of them, got {shown(name)}"
        )
    return name


def named_like(label: str) -> str:
    """The nearest name that a sweep can have: what no name takes is a dash."""
    found = re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-._")[:100]
    return found or "imported"


@contextmanager
def taking(
    uri: str, experiment: str, name: str, origin: str, parent: WholeRun, stage: Stage, anywhere: bool = False
) -> Iterator[Intake]:
    """The sweep of that name, ours to write until the block is over, when its run ends as ``parent`` does.

    ``anywhere``: whether the experiment is not the user's choice. Then no other may have a sweep of that name, which
    commands would no longer tell from this one.
    """
    _refuse_elsewhere(uri, experiment, name, origin, anywhere)
    with Lease(uri, experiment, name, stage) as lease:
        intake = Intake(uri, experiment, name, origin, lease)
        intake.open(parent)
        over = WholeRun("", "killed", 0)
        try:
            yield intake
            over = parent
        finally:
            intake.close(over)


def _refuse_elsewhere(uri: str, experiment: str, name: str, origin: str, anywhere: bool) -> None:
    Connection(uri)  # a file that is not there yet is made
    others = [one for one in ResultStore(uri).sweeps() if one.name == name and one.experiment != experiment]
    if anywhere and others:
        raise UserError(
            f"sweep '{brief(name)}' is in experiment '{brief(others[0].experiment, 40)}' of the store already; give "
            "what is imported another name with --name, or say where it goes with --experiment"
        )


def import_archive(
    file: Path,
    uri: str,
    name: str | None = None,
    experiment: str | None = None,
    stage: Stage = lambda told: None,
    origin: str | None = None,
) -> Arrival:
    """Take the sweep of an archive into a store: the same tables, histories and artifacts.

    Done again, or after it was cut off, it writes what is missing. A sweep of that name that is none of this archive,
    or of the ``origin`` that it stands for, is refused; under another name it is another sweep.
    """
    stage(f"checking {file.name}")
    with opened_archive(file, stage) as archive:
        told = check_name(archive.sweep if name is None else name)
        place = archive.experiment if experiment is None else experiment
        lines = archive.lines()
        head = next(lines)
        parent = replace(head.run, name=told)
        whose = origin or f"archive {archive.digest}"
        with taking(uri, place, told, whose, parent, stage, experiment is None) as intake:
            written = 0
            with _unpacked(archive, head, told if told != archive.sweep else None) as folder:
                intake.papers(folder)
            for number, one in enumerate(lines, start=1):
                stage(f"trial {number} of {archive.runs - 1}")
                assert one.trial is not None
                digest = hashlib.sha256(line_of(one)).hexdigest()[:32]
                if intake.has(one.trial, digest):
                    continue
                with _unpacked(archive, one) as folder:
                    intake.take(one.trial, one.run, digest, folder)
                written += 1
            notes = sum_up(intake, uri, place, told, stage)
    return Arrival(told, uri, written, archive.runs - 1 - written, notes)


@contextmanager
def _unpacked(archive: Archive, one: ArchivedRun, renamed: str | None = None) -> Iterator[Path]:
    """A folder with the artifacts of a run; with the sweep's new name in its sweep file, if it has one."""
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        folder = Path(scratch)
        for path, file in one.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            archive.extract(file, target)
        document = folder / SWEEP_FILE
        if renamed is not None and document.is_file():
            text = document.read_bytes()
            document.write_bytes(re.sub(rb"(?m)^name: .*$", b"name: " + renamed.encode(), text, count=1))
        yield folder
