"""A run as it was last read: the trial it is, and what is asked of it beside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from explorer.results.runs import trial_of
from explorer.results.table import Trial
from explorer.store import schema
from explorer.store.foreign import clean
from explorer.store.runs import StoredRun, rank_of

__all__ = ["Known", "gathered", "known_of"]


class Known(NamedTuple):
    """One run of a sweep.

    Attributes:
        trial: the trial it is; its identity is empty where the run tells none.
        step: its newest step, None without metrics; what twins are chosen by.
        artifact_uri: where its artifacts lie.
        told: what told it apart when it was read, empty where nothing does.
        faults: what of it could not be read.
    """

    trial: Trial
    step: int | None
    artifact_uri: str
    told: str = ""
    faults: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, int, int, str]:
        """By which twins are ordered, the one to keep first."""
        return rank_of(self.trial.status, self.step, self.trial.started, self.trial.run_id)


def known_of(run: StoredRun, told: str = "") -> Known:
    """A run that was just read."""
    return Known(trial_of(run), run.last_step, run.artifact_uri, told, run.faults)


def gathered(runs: Iterable[Known]) -> tuple[list[Trial], list[str]]:
    """The trials in the order in which they were begun, and what could not be read. Of twins the most complete.

    The next launch removes duplicates; until then the reader sees the one that will stay.
    """
    by_identity: dict[str, list[Known]] = {}
    faults = []
    for one in runs:
        if one.trial.id:
            by_identity.setdefault(one.trial.id, []).append(one)
        else:
            faults.append(f"run {one.trial.run_id}, which has no tag {schema.TRIAL}")
    chosen = [
        same[0] if len(same) == 1 else min(same, key=lambda one: one.rank) for same in by_identity.values()
    ]
    for one in chosen:
        faults += [f"run {one.trial.run_id} ({clean(fault)})" for fault in one.faults]
    return [one.trial for one in chosen], faults
