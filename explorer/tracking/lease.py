"""One driver per sweep on a store, wherever it runs: two would train everything twice and end each other's runs.

The holder stands in a tag of the sweep's parent run and is renewed every few seconds. MLflow knows no compare-and-set:
whoever finds the tag free writes itself there, waits until all who found it free at the same time have written too,
and reads again. The last writer holds it, since of a tag only the last value is left, which all then see alike. One who
wrote still later, having been asleep in the milliseconds of writing, displaces the holder, which finds that out when it
renews and stops: two hold it no longer than that.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType

from explorer.errors import UserError
from explorer.store import schema
from explorer.store.addresses import sqlite_file
from explorer.store.connection import Connection
from explorer.store.holders import Holder

__all__ = ["Lease", "LeaseLost", "Pace", "RunGone"]


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pace:
    """Seconds: between two renewals, without one until a lease counts as left, until all who come at once have written.

    Only spans of one machine's own clock are compared with these: clocks of machines differ.
    """

    renew: float = 10.0
    left: float = 45.0
    settle: float = 0.3


PACE = Pace()

_here: set[str] = set()
"""Holders of this process that are not over; one that is gone from here was left when its store was away."""


class LeaseLost(UserError):
    """Another driver has taken the sweep; nothing may be written any more."""


class RunGone(Exception):
    """The run to hold is in MLflow's trash: an older one of the same sweep came to light meanwhile."""


class Lease:
    """The right to drive a sweep, held from ``take`` to the end of the block.

    A thread renews it. A store that is away does not end it: what is written meanwhile decides how long to wait. If it
    finds another's name there, all writes of the tracker are refused from then on (``check``) and the main thread is
    interrupted, as by Ctrl-C.

    Args:
        tell: hears in a sentence whom it waits for.
    """

    def __init__(
        self,
        uri: str,
        experiment: str,
        sweep: str,
        tell: Callable[[str], None] = lambda told: None,
        pace: Pace | None = None,
    ) -> None:
        self._uri = uri
        self._experiment = experiment
        self._sweep = sweep
        self._tell = tell
        self._pace = pace or PACE
        self._me = Holder.here()
        self._run: str | None = None
        self._lost: LeaseLost | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        # Only a main thread hears of an interrupt; another's next write is refused.
        self._interrupts = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if self._lost is not None and kind is KeyboardInterrupt:  # which was ours
            raise self._lost from None

    def check(self) -> None:
        """Refuse to go on once the sweep is another's."""
        if self._lost is not None:
            raise self._lost

    def take_known(self) -> bool:
        """Hold the sweep if the store knows it, and say whether it does; makes neither store nor run."""
        file = sqlite_file(self._uri)
        if file is not None and not file.exists():
            return False
        store = Connection(self._uri)
        found = store.call(lambda: store.client.get_experiment_by_name(self._experiment))
        if found is None or not found.experiment_id:
            return False
        while True:
            runs = store.search([str(found.experiment_id)], {schema.KIND: "sweep"}, [])
            same = [run for run in runs if run.tags.get(schema.SWEEP) == self._sweep]
            if not same:
                return False
            try:
                self.take(min(same, key=lambda run: (run.started, run.run_id)).run_id)
            except RunGone:
                continue
            return True

    def take(self, run: str) -> None:
        """Hold the sweep whose parent run this is, or refuse in a sentence that says who does.

        Raises:
            RunGone: another driver has found an older run of this sweep and removed this one.
        """
        if self._run == run:
            return
        self._end()  # of a run that an older one of the same name took the place of
        self._over = threading.Event()
        store = Connection(self._uri)
        while True:
            found = self._wait_until_free(store, run)
            self._write(store, run, self._me)
            # Whoever found it free when we did has written by then, unless twice as slow as we are.
            time.sleep(max(self._pace.settle, 2 * (time.monotonic() - found)))
            now = self._read(store, run)
            if now is not None and now.id == self._me.id:
                break
        self._run = run
        _here.add(self._me.id)
        self._thread = threading.Thread(target=self._renew, args=(run,), name="lease", daemon=True)
        self._thread.start()

    def _wait_until_free(self, store: Connection, run: str) -> float:
        """The moment before the look that found nobody, or one who has left; one who is there is told and refused."""
        since = asked = time.monotonic()
        first = self._read(store, run)
        if first is None or self._is_over(first):
            return asked
        if first.is_near:
            raise self._running(first)
        self._tell(f"waiting to see whether sweep '{self._sweep}' still runs {first.words()}")
        while time.monotonic() - since < self._pace.left:
            time.sleep(self._pace.renew / 5)
            asked = time.monotonic()
            now = self._read(store, run)
            if now is None:
                break
            if now != first:
                raise self._running(now)
            if time.monotonic() - asked > self._pace.renew:
                since = time.monotonic()  # the store was away, perhaps for the holder too
        return asked

    @staticmethod
    def _is_over(holder: Holder) -> bool:
        ours = holder.is_near and holder.process == os.getpid()
        return holder.is_dead or (ours and holder.id not in _here)

    def _running(self, holder: Holder) -> UserError:
        return UserError(
            f"sweep '{self._sweep}' is running already {holder.words()}; wait for it or stop it there"
        )

    def _renew(self, run: str) -> None:
        """Say every so often that we are here, until the end or until another stands there."""
        store = Connection(self._uri, patience=0.0)
        while not self._over.wait(self._pace.renew):
            try:
                asked = time.monotonic()
                now = self._read(store, run)
                if time.monotonic() - asked > self._pace.left / 2:
                    now = self._read(store, run)  # asleep meanwhile, perhaps until it was another's
                if now is not None and now.id != self._me.id:
                    self._lose(now)
                    return
                self._me = replace(self._me, beat=self._me.beat + 1)
                self._write(store, run, self._me)
            except Exception as error:
                # A store that is away, or fails: whoever writes results meets the same and decides.
                log.debug("the lease of sweep '%s' could not be renewed: %s", self._sweep, error)

    def _lose(self, holder: Holder) -> None:
        self._lost = LeaseLost(
            f"sweep '{self._sweep}' is driven by another process {holder.words()}, which took it when this one had not "
            "been heard of for a while; this one stops and leaves all runs to that one"
        )
        if self._interrupts and not self._over.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    def _end(self) -> None:
        """Renew no more, and leave the tag to the next; a store that is away then finds that out by itself."""
        if self._thread is None or self._run is None:
            return
        self._over.set()
        self._thread.join(timeout=5.0)
        away = self._thread.is_alive()  # a store that takes requests and does not answer
        run, self._run, self._thread = self._run, None, None
        _here.discard(self._me.id)
        if away or self._lost is not None:
            return
        try:
            store = Connection(self._uri, patience=1.0)
            now = self._read(store, run)
            if now is not None and now.id == self._me.id:
                store.call(lambda: store.client.delete_tag(run, schema.LEASE))
        except Exception as error:
            log.debug("the lease of sweep '%s' could not be given back: %s", self._sweep, error)

    @staticmethod
    def _read(store: Connection, run: str) -> Holder | None:
        return Holder.parse(store.run(run).tags.get(schema.LEASE))

    @staticmethod
    def _write(store: Connection, run: str, holder: Holder) -> None:
        """Write the tag; where several write it first, MLflow refuses all but one, whose name stands there then."""
        from mlflow.exceptions import MlflowException

        for again in (True, False):
            try:
                store.call(lambda: store.client.set_tag(run, schema.LEASE, holder.text()))
                return
            except MlflowException as error:
                if store.call(lambda: store.client.get_run(run)).info.lifecycle_stage == "deleted":
                    raise RunGone(run) from error
                if not again:
                    raise
