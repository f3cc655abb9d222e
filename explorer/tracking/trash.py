"""Whole sweeps on their way to MLflow's trash and back. Nothing is destroyed until the trash is emptied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from explorer.errors import UserError, root_cause
from explorer.store import schema
from explorer.store.addresses import sqlite_file
from explorer.store.connection import Connection
from explorer.store.deletion_mark import is_mark
from explorer.store.holders import Holder
from explorer.tracking.lease import Lease

__all__ = ["Trash"]

AT_ONCE = 8
"""Requests that a server gets at a time. A file has one writer."""
STEP = 64
"""Runs between two words on how far it is."""


class Trash:
    """Moves the runs of one sweep; every call may be repeated after a crash at any point."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._store = Connection(uri)

    @contextmanager
    def held(self, sweep: str, parent: str, tell: Callable[[str], None]) -> Iterator[None]:
        """Nobody drives the sweep meanwhile; one that is driven is refused."""
        with Lease(self._uri, "", sweep, tell) as lease:
            lease.take(parent)
            yield

    def mark(self, parent: str, tags: Mapping[str, str]) -> None:
        """The deletion of a sweep has begun: what undoing it needs to know stands with its run, in this order."""
        for key, text in tags.items():
            self._change(parent, partial(self._store.client.set_tag, parent, key, text))

    def throw(self, runs: Sequence[str], tell: Callable[[int], None] = lambda done: None) -> None:
        """Runs of trials go, in any order; ``tell`` hears how many are gone. One transaction or request each."""
        self._each(runs, lambda run: self._store.client.delete_run(run), tell)

    def close(self, sweep: str, parent: str) -> None:
        """The sweep's own run goes, at last: until then the sweep is found. A driver that came is left alone."""
        holder = Holder.parse(self._store.run(parent).tags.get(schema.LEASE))
        if holder is not None and not holder.is_dead:
            raise UserError(
                f"sweep '{sweep}' was begun again {holder.words()} while it was deleted; stop it there, then delete "
                "it once more"
            )
        self._change(parent, lambda: self._store.client.delete_run(parent))

    def revive(self, parent: str) -> None:
        """The sweep's own run comes back first, with the mark: until that is gone, undoing it is not done."""
        self._change(parent, lambda: self._store.client.restore_run(parent))

    def bring_back(
        self, parent: str, runs: Sequence[str], tell: Callable[[int], None] = lambda done: None
    ) -> None:
        """Runs of trials come back, then the mark goes."""
        client = self._store.client
        self._each(runs, lambda run: client.restore_run(run), tell)
        # The mark itself first: what is left of it without that means nothing.
        for key in sorted(key for key in self._store.run(parent).tags if is_mark(key)):
            self._change(parent, partial(self._untag, parent, key))

    def _untag(self, run: str, key: str) -> None:
        """It may be gone: the answer to an earlier request was lost."""
        if key in self._store.run(run).tags:
            self._store.client.delete_tag(run, key)

    def _each(self, runs: Sequence[str], work: Callable[[str], object], tell: Callable[[int], None]) -> None:
        with ThreadPoolExecutor(AT_ONCE if sqlite_file(self._uri) is None else 1) as pool:
            for start in range(0, len(runs), STEP):
                part = runs[start : start + STEP]
                list(pool.map(lambda run: self._change(run, lambda: work(run)), part))
                tell(start + len(part))

    def _change(self, run: str, work: Callable[[], object]) -> None:
        try:
            self._store.call(work)
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"run {run} cannot be changed ({root_cause(error)}); look at it with `tradeoff mlflow`"
            ) from error
