"""Single runs that lost their driver, their sweep or their right to be: ended, given back, or moved to the trash."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from explorer.errors import root_cause, telling
from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.schema import Status

__all__ = ["Repairs"]


class Repairs:
    """Writes single runs of a store. Nothing is destroyed: MLflow keeps what is in its trash until it is emptied."""

    def __init__(self, uri: str) -> None:
        self._store = Connection(uri, make=False)

    def end(self, run: str, status: Status) -> None:
        """The run is over, and has this status."""
        now = time.time_ns() // 1_000_000
        self._change(run, lambda: self._store.client.set_terminated(run, status.upper(), now))

    def trash(self, run: str) -> None:
        """The run goes to MLflow's trash, from which ``mlflow runs restore`` brings it back."""
        self._change(run, lambda: self._store.client.delete_run(run))

    def adopt(self, run: str, parent: str) -> None:
        """The run of a trial belongs to this sweep's run."""
        self._change(run, lambda: self._store.client.set_tag(run, schema.PARENT, parent))
        # Times do not tell that an old run came: whoever keeps what he has read reads this sweep again.
        self._change(
            parent, lambda: self._store.client.set_tag(parent, schema.REVISION, secrets.token_hex(8))
        )

    def _change(self, run: str, work: Callable[[], object]) -> None:
        with telling(
            lambda error: (
                f"run {run} cannot be changed ({root_cause(error)}); look at it with `tradeoff mlflow`"
            )
        ):
            self._store.call(work)
