"""What stands with a sweep's run while it is deleted: when that began, and which of its runs lay in the trash before.

MLflow tells nobody when a run was deleted, and sets no tag on one that is. So the sweep's own run has the list, in as
many tags as it takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from explorer.store.foreign import load_json
from explorer.store.schema import DELETED

__all__ = ["is_mark", "mark_of", "marked"]

MOST = 100
"""Runs in one tag, as many as it has room for."""


def mark_of(before: Sequence[str]) -> dict[str, str]:
    """The tags of a deletion that begins, in the order in which they are to be written.

    The one that says so comes last: what is written without it means nothing.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    more = [before[start : start + MOST] for start in range(MOST, len(before), MOST)]
    tags = {f"{DELETED}.{number}": _json(part) for number, part in enumerate(more, start=1)}
    return {**tags, DELETED: _json({"at": now, "before": before[:MOST], "more": len(more)})}


def marked(tags: Mapping[str, str]) -> frozenset[str]:
    """Runs that lay in the trash before the sweep did, by the tags of its run; whatever others wrote there is none."""
    raw = load_json(tags.get(DELETED))
    if not isinstance(raw, dict):
        return frozenset()
    more = raw.get("more")
    # Tags beyond these are what is left of an earlier deletion.
    numbers = range(1, more + 1) if isinstance(more, int) and more < len(tags) else ()
    lists = [raw.get("before"), *(load_json(tags.get(f"{DELETED}.{number}")) for number in numbers)]
    return frozenset(run for one in lists if isinstance(one, list) for run in one if isinstance(run, str))


def is_mark(key: str) -> bool:
    """Whether a tag is of a deletion."""
    return key == DELETED or key.startswith(f"{DELETED}.")


def _json(told: Any) -> str:
    return json.dumps(told, separators=(",", ":"))
