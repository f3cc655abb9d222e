"""A sweep of a store, written into an archive that any other store can take in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from explorer.results.store import ResultStore
from explorer.results.whole import WholeSweep
from explorer.store.whole import without_files
from explorer.transfer.archive import ArchiveWriter, check_target, writing
from explorer.transfer.archive_lines import ArchivedFile, ArchivedRun, is_path
from explorer.words import counted

__all__ = ["Departure", "export_sweep"]

Stage = Callable[[str], None]


class Departure(NamedTuple):
    """What an archive holds; ``notes``: what could not be taken along."""

    file: Path
    sweep: str
    trials: int
    size: int
    notes: tuple[str, ...]

    def sentence(self) -> str:
        """In one line."""
        return f"sweep {self.sweep}, {counted(self.trials, 'trial')}, written to {self.file} ({self.size:,} bytes)"


def export_sweep(
    store: ResultStore,
    name: str,
    file: Path,
    artifacts: bool = True,
    stage: Stage = lambda told: None,
    experiment_id: str | None = None,
) -> Departure:
    """Write a sweep with all its runs, histories and, unless they are not wanted, artifacts into a file.

    What is held at a time is one run and one artifact. The sweep file and the catalogue always go along.
    """
    check_target(file)
    stage(f"reading sweep {name}")
    sweep = WholeSweep(store, name, experiment_id)
    notes: list[str] = []
    with writing(file, sweep.name, sweep.experiment, artifacts) as archive:
        runs: list[tuple[str | None, str]] = [(None, sweep.parent), *sweep.trials]
        for number, (trial, run_id) in enumerate(runs):
            stage(f"trial {number} of {len(sweep.trials)}, {archive.size / 1e6:,.1f} MB of files")
            wanted = artifacts or trial is None
            files = _files(sweep, archive, trial, run_id, notes) if wanted else {}
            run = sweep.run(run_id)
            archive.add_run(ArchivedRun(trial, run if wanted else without_files(run), files))
    return Departure(file, sweep.name, len(sweep.trials), file.stat().st_size, (*sweep.faults, *notes))


def _files(
    sweep: WholeSweep, archive: ArchiveWriter, trial: str | None, run_id: str, notes: list[str]
) -> Mapping[str, ArchivedFile]:
    """The artifacts of a run, each fetched, stored and forgotten."""
    found: dict[str, ArchivedFile] = {}
    for path in sweep.files(run_id):
        if not is_path(f"{archive.folder(trial)}/{path}"):
            notes.append(f"artifact {path} of run {run_id}, whose path no other system takes")
            continue
        with TemporaryDirectory(prefix="tradeoff-") as folder:
            found[path] = archive.add_file(path, sweep.fetch(run_id, path, Path(folder)), trial)
    return found
