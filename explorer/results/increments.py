"""A sweep behind MLflow's search, looked at again for the price of what changed.

MLflow tells no difference, but what our writers do can be asked for. A run that is born starts later than all others
of its sweep; one that ends, or that is written to after its end, ends later than all of them
(``explorer/tracking/stamps.py``); those that are open are few; and MLflow's trash is asked for what left and came back.
Where older runs are another number all the same, since the trash was emptied or somebody's clock was late, and where
the sweep's own run tells of other changes by the tag ``tradeoff.revision``, everything is read again. What somebody set
by hand on a run that is over is seen once what is known is older than ``EXPIRES_S``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from explorer.results.known import Known, known_of
from explorer.store import schema
from explorer.store.pages import Pages
from explorer.store.runs import StoredRun

__all__ = ["EXPIRES_S", "Seen", "news", "whole"]

EXPIRES_S = 24 * 3600.0
"""How long what is known is built upon."""

_ENDS = ("FINISHED", "FAILED", "KILLED")


@dataclass(frozen=True)
class Seen:
    """How far a sweep has been seen.

    Attributes:
        started: when the newest run began, of those that were asked for by it.
        ended: the same of ends.
        trash: runs in MLflow's trash.
        revision: what the sweep's own run told of changes that nothing else tells.
        moment: when everything was read, by the clock of this machine.
    """

    started: int
    ended: int
    trash: frozenset[str]
    revision: str
    moment: float


def whole(pages: Pages, parent: StoredRun) -> tuple[dict[str, Known], Seen]:
    """All runs of a sweep, oldest first."""
    ended = pages.newest_end()  # before they are read: what ends meanwhile is asked for again
    runs, trash = pages.together([pages.everything, lambda: pages.search(trash=True)])
    known = _ordered(map(known_of, runs))
    started = max((one.trial.started for one in known.values()), default=0)
    gone = frozenset(run.run_id for run in trash)
    return known, Seen(started, ended, gone, _revision(parent), time.time())


def news(
    pages: Pages, parent: StoredRun, known: Mapping[str, Known], seen: Seen | None
) -> tuple[dict[str, Known], Seen]:
    """The runs as they are now, of which the unchanged are not asked for."""
    if seen is None or _is_stale(parent, known, seen):
        return whole(pages, parent)
    older = f"attributes.start_time < {seen.started}"  # the others are among those that were born
    born, open_now, trash = pages.together(
        [
            lambda: pages.search(f"attributes.start_time >= {seen.started}"),
            lambda: pages.search(older, *(f"attributes.status != '{end}'" for end in _ENDS)),
            lambda: pages.search(trash=True),
        ]
    )
    # Asked last: no end that was seen above hides one that came before it.
    over = pages.search(older, f"attributes.end_time >= {seen.ended}")
    gone = frozenset(run.run_id for run in trash)
    fresh = {run.run_id: run for run in (*born, *open_now, *over)}
    left = {run for run, one in known.items() if one.trial.status == "running"} - set(fresh) - gone
    asked = left | (seen.trash - gone)
    fresh |= {run.run_id: run for run in pages.by_id(sorted(asked))}
    kept = {
        run: one
        for run, one in known.items()
        if one.trial.started < seen.started and run not in gone and run not in asked
    }
    read = {run: _same(known.get(run), known_of(one)) for run, one in fresh.items() if run not in gone}
    now = _ordered((kept | read).values())
    count = sum(0 < one.trial.started < seen.started for one in now.values())
    if not pages.are(count, "attributes.start_time > 0", older):
        return whole(pages, parent)
    return now, replace(
        seen,
        started=max((run.started for run in born), default=seen.started),
        ended=max((run.ended for run in (*born, *over)), default=seen.ended),
        trash=gone,
    )


def _same(before: Known | None, now: Known) -> Known:
    return before if before == now and before is not None else now


def _is_stale(parent: StoredRun, known: Mapping[str, Known], seen: Seen) -> bool:
    """Whether what is known is nothing to build upon. Runs of layout 1 are renamed without a word."""
    age = time.time() - seen.moment
    older = any(one.trial.layout != schema.LAYOUT_NOW for one in known.values())
    return older or seen.revision != _revision(parent) or not 0 <= age < EXPIRES_S


def _revision(parent: StoredRun) -> str:
    return parent.tags.get(schema.REVISION, "")


def _ordered(runs: Iterable[Known]) -> dict[str, Known]:
    """Oldest first; a run without a time is none of the oldest."""
    found = sorted(runs, key=lambda one: (one.trial.started == 0, one.trial.started, one.trial.run_id))
    return {one.trial.run_id: one for one in found}
