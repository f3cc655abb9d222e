"""Results that still wait for a tracking store."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.doctor.finding import Finding, Subject
from explorer.folders import data_folder
from explorer.tracking import waiting
from explorer.words import counted

__all__ = ["check_spools"]


def check_spools(subject: Subject) -> Iterator[Finding]:
    """What launches of this machine could not send; one that runs has its own to itself. O(spools)."""
    found = {
        folder: some
        for folder in sorted((data_folder() / "spool").glob("*"))
        if (some := waiting(folder)) is not None
    }
    if not found:
        yield Finding("spool", "ok", "no result waits for a tracking store")
    for folder, (count, owner) in found.items():
        sweep = owner.sweep if owner else folder.name.rpartition("-")[0]
        where = f" {owner.store} (experiment '{owner.experiment}')" if owner else ""
        if subject.sweep in (None, sweep):
            yield Finding(
                "spool",
                "note",
                f"{counted(count, 'result')} of sweep '{sweep}' wait for tracking store{where}, "
                "which did not take them",
                "the next launch of the sweep with that store sends them",
            )
