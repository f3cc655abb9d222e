"""Runs of a store that is asked through MLflow's search: of a server as its own JSON, and several pages at once.

MLflow's client takes page after page, and makes some fifty objects of every run twice. A server takes some 5 ms a run,
so what counts is how many of its workers are busy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

from explorer.errors import UserError
from explorer.store.connection import Connection, TrackingUnavailable
from explorer.store.foreign import as_text, as_whole
from explorer.store.runs import StoredRun, status_of, stored

__all__ = ["Pages", "quoted"]

SIZE = 250
"""Runs of one page, which a busy server answers within half a minute."""

AT_ONCE = 4
"""Pages that are asked for at the same time: as many as a server of MLflow's has workers."""

FEW_IDS = 100
"""Runs that are asked for by their ids in one request."""


class _Page(NamedTuple):
    """Runs in the order that was asked for, and whether there are more."""

    runs: list[StoredRun]
    token: str | None


class Pages:
    """The runs of an experiment that have some tags, in a store behind MLflow's search."""

    def __init__(self, link: Connection, experiment: str, tags: Mapping[str, str]) -> None:
        self._link, self._experiment = link, experiment
        self._where = [f"tags.`{key}` = {quoted(value)}" for key, value in tags.items()]
        self._is_server = link.is_server

    def together(self, asks: Sequence[Callable[[], list[StoredRun]]]) -> list[list[StoredRun]]:
        """What these find; a server is asked all of it at once."""
        if not self._is_server:
            return [ask() for ask in asks]
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            return [future.result() for future in [pool.submit(ask) for ask in asks]]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def search(self, *where: str, trash: bool = False) -> list[StoredRun]:
        """The living runs of which all that is true, or those in MLflow's trash; page by page."""
        found: list[StoredRun] = []
        token = None
        while True:
            page = self._page(where, SIZE, trash=trash, token=token)
            found += page.runs
            token = page.token
            if not token:
                return found

    def by_id(self, ids: Sequence[str]) -> list[StoredRun]:
        """Those of some runs that live and have the tags."""
        found = []
        for start in range(0, len(ids), FEW_IDS):
            these = ", ".join(map(quoted, ids[start : start + FEW_IDS]))
            found += self.search(f"attributes.run_id IN ({these})")
        return found

    def newest_end(self) -> int:
        """When the run that ended last did; 0 where none has."""
        page = self._page((), 1, order="attributes.end_time DESC")
        return page.runs[0].ended if page.runs else 0

    def are(self, count: int, *where: str) -> bool:
        """Whether so many living runs are there of which all that is true: the last is there, and none comes after it.

        Where a page begins is written as MLflow's servers do; one with words of its own tells no number.
        """
        from mlflow.utils.search_utils import SearchUtils

        token = SearchUtils.create_page_token(count - 1).decode() if count > 1 else None  # type: ignore[no-untyped-call]
        try:
            page = self._page(where, 1, token=token)
        except TrackingUnavailable:
            raise
        except UserError:
            return True
        return len(page.runs) == min(count, 1) and not page.token

    def everything(self) -> list[StoredRun]:
        """All living runs. A server is asked for spans of time at once, halved where they do not fit a page."""
        first = self._page((), SIZE)
        if not first.token or not self._is_server:
            return first.runs + (self._after(first) if first.token else [])
        last = self._page((), 1, order="attributes.start_time DESC").runs[0].started
        found = {run.run_id: run for run in first.runs}
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            asked = {pool.submit(self._span, *span) for span in _halves(first.runs[-1].started, None, last)}
            while asked:
                done, asked = wait(asked, return_when=FIRST_COMPLETED)
                for future in done:
                    runs, spans = future.result()
                    found |= {run.run_id: run for run in runs}
                    asked |= {pool.submit(self._span, *span) for span in spans}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return list(found.values())

    def _span(
        self, low: int, high: int | None, last: int
    ) -> tuple[list[StoredRun], list[tuple[int, int | None, int]]]:
        """Runs that started from ``low`` to ``high``, and the spans in which the others are."""
        where = [f"attributes.start_time >= {low}"]
        where += [] if high is None else [f"attributes.start_time <= {high}"]
        page = self._page(where, SIZE)
        if not page.token:
            return page.runs, []
        reached = page.runs[-1].started
        if reached == low:  # more of one moment than a page holds
            return page.runs + self._after(page, where), []
        return page.runs, _halves(reached, high, last)

    def _after(self, page: _Page, where: Sequence[str] = ()) -> list[StoredRun]:
        """What comes after a page."""
        found: list[StoredRun] = []
        while page.token:
            page = self._page(where, SIZE, token=page.token)
            found += page.runs
        return found

    def _page(
        self,
        where: Sequence[str],
        size: int,
        order: str = "attributes.start_time ASC",
        trash: bool = False,
        token: str | None = None,
    ) -> _Page:
        told = " and ".join([*self._where, *where])
        ask = self._from_server if self._is_server else self._from_client
        return self._link.read(lambda: ask(told, size, order, trash, token))

    def _from_server(self, where: str, size: int, order: str, trash: bool, token: str | None) -> _Page:
        asked = {
            "experiment_ids": [self._experiment],
            "filter": where,
            "run_view_type": "DELETED_ONLY" if trash else "ACTIVE_ONLY",
            "max_results": size,
            "order_by": [order],
        }
        answer = self._link.posted(
            "/api/2.0/mlflow/runs/search", asked | ({"page_token": token} if token else {})
        )
        return _Page([_stored(raw) for raw in answer.get("runs", [])], answer.get("next_page_token") or None)

    def _from_client(self, where: str, size: int, order: str, trash: bool, token: str | None) -> _Page:
        from mlflow.entities import ViewType

        view = ViewType.DELETED_ONLY if trash else ViewType.ACTIVE_ONLY
        found = self._link.client.search_runs([self._experiment], where, view, size, [order], token)
        return _Page([stored(run) for run in found], found.token or None)


def quoted(value: str) -> str:
    """A text in a filter of MLflow's; ids and our own words have no quotes, for which it knows no escape."""
    return f"'{value}'"


def _halves(low: int, high: int | None, last: int) -> list[tuple[int, int | None, int]]:
    """A span in two; one without an end, for runs that are born meanwhile, is halved between its beginning and the
    newest run there was."""
    end = last if high is None else high
    if end <= low:
        return [(low, high, last)]
    middle = (low + end) // 2
    return [(low, middle, last), (middle + 1, high, last)]


def _stored(raw: Mapping[str, Any]) -> StoredRun:
    """A run as the server's JSON tells it; the same as ``stored`` makes of what MLflow's client makes of that."""
    info, data = raw["info"], raw.get("data", {})
    found = data.get("metrics", ())
    metrics = {as_text(one.get("key", "")): _number(one.get("value", 0.0)) for one in found}
    steps = [step for one in found if (step := _whole(one.get("step", 0))) is not None]
    return StoredRun(
        run_id=as_text(info["run_id"]),
        experiment_id=as_text(info["experiment_id"]),
        status=status_of(info.get("status")),
        started=_whole(info.get("start_time")) or 0,
        ended=_whole(info.get("end_time")) or 0,
        artifact_uri=as_text(info.get("artifact_uri")),
        tags=_texts(data.get("tags", ())),
        params=_texts(data.get("params", ())),
        metrics={key: value for key, value in metrics.items() if value is not None},
        last_step=max(steps, default=None),
        faults=tuple(f"its {key} is no number" for key, value in metrics.items() if value is None),
    )


def _texts(pairs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {as_text(one.get("key", "")): as_text(one.get("value", "")) for one in pairs}


def _number(value: object) -> float | None:
    """A value; what JSON has no number for, servers spell."""
    if isinstance(value, int | float):
        return float(value)
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(as_text(value))


def _whole(value: object) -> int | None:
    """A whole number of 64 bits, which servers of earlier versions write as text."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 21:
        value = int(value)
    return as_whole(value)
