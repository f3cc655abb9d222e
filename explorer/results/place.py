"""A store as a place: how it is reached, and what is read of a single run, its artifacts and its histories."""

from __future__ import annotations

import logging
import math
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from explorer.errors import brief, root_cause, telling
from explorer.results.swift import Elsewhere, local_artifact
from explorer.store import swift
from explorer.store.addresses import checked_address, sqlite_file
from explorer.store.connection import PATIENCE_S, Connection, TrackingUnavailable
from explorer.store.foreign import as_number, as_whole, load_json
from explorer.store.reach import PROMPT_S, refuse_silent
from explorer.store.runs import StoredRun
from explorer.store.swift import Odd
from explorer.store.whole import Point

__all__ = ["Place"]

log = logging.getLogger(__name__)

T = TypeVar("T")

REACHED_S = 5.0
"""A server that answered is not asked for a sign of life again this long."""

AT_ONCE = 8
"""Metrics of a run that a server is asked for at a time."""

AGAIN_S = 1.0
"""How long a server that gave a sign of life is asked again for what a reader of little patience waits for."""


class Place:
    """An MLflow store, read straight where it is a SQLite file that is as MLflow writes it, and through MLflow else.

    Args:
        uri: ``sqlite:///FILE``, ``http(s)://HOST`` or another database address.
        patience: seconds after which a server that does not answer is told; a minute or so if None.
    """

    def __init__(self, uri: str, patience: float | None = None) -> None:
        self.uri = checked_address(uri)
        self.patience = patience
        self._reached = -REACHED_S
        self._open: Connection | None = None
        self._artifact_uris: dict[str, str] = {}

    def exists(self) -> bool:
        """Whether the store is there. A SQLite file is not, until a sweep makes it."""
        file = sqlite_file(self.uri)
        return file is None or os.path.lexists(file)

    def whole_run(self, run_id: str) -> StoredRun:
        """One run with all that the store has of it."""
        return self.connection().run(run_id)

    def tag(self, run_id: str, key: str) -> str:
        """One tag of a run, empty where it has none."""
        told = self.swiftly(lambda link: swift.tag_of(link, run_id, key))
        return self.whole_run(run_id).tags.get(key, "") if told is None else told

    def artifact_bytes(self, run_id: str, name: str) -> bytes | None:
        """Content of a run's artifact, or None if it has none of that name that can be read."""
        if Path(name).name != name:
            raise ValueError(f"an artifact's name must be a plain file name, got '{name}'")
        place = self._place(run_id)
        try:
            return self._artifact(place, name)
        except TrackingUnavailable:
            raise
        except Exception as error:  # places that others named fail in ways of their own
            log.warning("artifact %s of run %s cannot be read: %s", name, run_id, root_cause(error, 160))
            return None

    def _place(self, run_id: str) -> str:
        """Where the artifacts of a run lie."""
        if run_id not in self._artifact_uris:
            found = self.swiftly(lambda link: swift.place_of(link, run_id))
            self._artifact_uris[run_id] = found or self.connection().run(run_id).artifact_uri
        return self._artifact_uris[run_id]

    def _artifact(self, place: str, name: str) -> bytes | None:
        if not self.uri.startswith(("http:", "https:")):  # a server's folders are its own
            try:
                return local_artifact(place, name)
            except Elsewhere:
                pass  # MLflow knows more kinds of places
        return self.connection().artifact(place, name)

    def fetched(self, run_id: str, path: str, folder: Path) -> Path | None:
        """A copy of an artifact of a run, or of a folder of them, in a folder of ours; None if it has none there."""
        parent, _, _ = path.rpartition("/")
        store = self.connection()
        repository = store.artifacts(self._place(run_id))
        with telling(
            lambda error: f"artifact {brief(path)} of run {run_id} cannot be read ({brief(str(error), 120)})"
        ):
            listed = store.call(lambda: repository.list_artifacts(parent or None))
            if path not in {one.path for one in listed}:
                return None
            return Path(store.call(lambda: repository.download_artifacts(path, str(folder))))  # type: ignore[no-untyped-call]

    def swiftly(self, ask: Callable[[sqlite3.Connection], T]) -> T | None:
        """What a SQLite store itself answers; None of other stores, and where only MLflow may read."""
        file = sqlite_file(self.uri)
        if file is None:
            return None
        try:
            with swift.sound(file) as link:
                return ask(link)
        except Odd:
            return None

    def artifact_json(self, run_id: str, name: str) -> dict[str, Any] | None:
        """A JSON artifact of a run, or None if it is absent or was cut short when its writer was killed."""
        content = self.artifact_bytes(run_id, name)
        if content is None:
            return None
        value = load_json(content)
        if not isinstance(value, dict):
            log.warning(
                "artifact %s of run %s is no JSON object; its writer may have been killed", name, run_id
            )
            return None
        return value

    def history(self, run_id: str, metric: str) -> list[tuple[int, float]]:
        """(step, value) of every evaluation of a metric, ascending; NaN where it was not finite.

        Of a step that was read again, the newest value counts. What is no number is left out.
        """
        told = self.swiftly(lambda link: swift.history(link, run_id, metric))
        if told is not None:
            return sorted(dict(told).items())
        store = self.connection()
        points = store.read(lambda: store.client.get_metric_history(run_id, metric))
        by_step: dict[int, float] = {}
        for point in sorted(points, key=lambda point: as_whole(point.timestamp) or 0):
            step, value = as_whole(point.step), as_number(point.value)
            if step is not None and value is not None:
                by_step[step] = value
        return sorted(by_step.items())

    def points(self, run_id: str, metrics: Sequence[str]) -> dict[str, tuple[Point, ...]]:
        """Every point of some metrics, by step and time. From a SQLite file at once, a request per metric from others.

        What is no number is left out.
        """
        told = self.swiftly(lambda link: swift.histories(link, run_id))
        if told is not None:
            return {key: tuple(Point(*point) for point in told.get(key, ())) for key in metrics}
        self.connection()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(lambda key: self._points(run_id, key), metrics))
        return dict(zip(metrics, found, strict=True))

    def _points(self, run_id: str, key: str) -> tuple[Point, ...]:
        store = self.connection()
        told = store.read(lambda: store.client.get_metric_history(run_id, key), f"metric {brief(key)}")
        points = [(as_whole(one.step), as_whole(one.timestamp), as_number(one.value)) for one in told]
        whole = [Point(s, t, v) for s, t, v in points if s is not None and t is not None and v is not None]
        return tuple(sorted(whole, key=_by_step))

    def connection(self) -> Connection:
        """MLflow's own way to the store, opened when it is first needed."""
        self._reach()
        if self._open is None:
            patience = PATIENCE_S if self.patience is None else min(self.patience, AGAIN_S)
            self._open = Connection(self.uri, patience, make=False)
        return self._open

    def _reach(self) -> None:
        """Tell a server that does not answer within the patience, which MLflow would ask for a minute.

        A database it would ask for many, so that one is told in any case.
        """
        is_server = self.uri.startswith(("http:", "https:"))
        patience = self.patience if self.patience is not None or is_server else PROMPT_S
        if patience is not None and time.monotonic() - self._reached > REACHED_S:
            refuse_silent(self.uri, patience)
            self._reached = time.monotonic()


def _by_step(point: Point) -> tuple[int, int, bool, float]:
    """As SQLite orders them."""
    gone = math.isnan(point.value)
    return point.step, point.time, gone, 0.0 if gone else point.value
