"""Optuna's storage as a source: every study is a sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from explorer.errors import UserError, brief
from explorer.results.runs import SweepInfo
from explorer.results.table import TrialTable
from explorer.sources.source import FileWatch, Kind, Source
from explorer.sources.studies import Study
from explorer.store.foreign import clean

__all__ = ["OptunaSource"]


class OptunaSource(Source):
    """The studies of a file, read by ``read``: SQLite or a journal."""

    kind: ClassVar[Kind] = "optuna"

    def __init__(self, address: str, file: Path, read: Callable[[Path], list[Study]]) -> None:
        super().__init__(address)
        self._file, self._read = file, read

    def sweeps(self) -> dict[str, SweepInfo]:
        """Its studies, newest first; those that share a name by number too."""
        changed = (
            datetime.fromtimestamp(self._file.stat().st_mtime, UTC)
            if self._file.exists()
            else datetime.now(UTC)
        )
        studies = self._read(self._file)
        names = Counter(clean(study.name) for study in studies)
        found = {_label(study, names): study.info(changed) for study in studies}
        return dict(sorted(found.items(), key=lambda item: item[1].updated, reverse=True))

    def watch(self, label: str, info: SweepInfo) -> FileWatch:
        """One study, read again when the file has changed."""

        def read() -> TrialTable:
            study = next((one for one in self._read(self._file) if one.id == info.experiment_id), None)
            if study is None:
                raise UserError(f"study '{brief(info.name)}' is no longer in '{brief(self.address, 150)}'")
            return study.table(label)

        return FileWatch(self._file, read)


def _label(study: Study, names: Counter[str]) -> str:
    name = clean(study.name)
    return name if names[name] == 1 else f"{name} @ {study.id}"
