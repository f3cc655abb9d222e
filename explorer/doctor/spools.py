"""Results that still wait for a tracking store."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.doctor.finding import Finding, Subject
from explorer.folders import data_folder
from explorer.tracking import waiting_entries
from explorer.words import counted

__all__ = ["check_spools"]


def check_spools(subject: Subject) -> Iterator[Finding]:
    """What launches of this machine could not send; one that runs has its own to itself. O(spools)."""
    waiting = {
        folder.name.rpartition("-")[0]: count
        for folder in sorted((data_folder() / "spool").glob("*"))
        if (count := waiting_entries(folder))
    }
    if not waiting:
        yield Finding("spool", "ok", "no result waits for a tracking store")
    for sweep, count in waiting.items():
        if subject.sweep in (None, sweep):
            yield Finding(
                "spool",
                "note",
                f"{counted(count, 'result')} of sweep '{sweep}' wait for a tracking store that was away",
                "the next launch sends them: run the sweep again",
            )
