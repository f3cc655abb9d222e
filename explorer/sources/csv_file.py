"""A CSV file as a sweep: ours, with a row per trial and reading, or anybody's, with a row per trial.

Ours is what ``tradeoff front --csv`` writes. In others a column is a metric if its heading begins with ``metric:`` or
``values_`` or is one the catalogue knows, and a parameter if not, or if it begins with ``param:``; the reader chooses
objectives later. Where no column is known as a metric, those of decimal numbers are.
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, NamedTuple, get_args

from explorer.errors import UserError, brief, root_cause
from explorer.results.catalogue import INFINITE, Catalogue, built_in, reads_as_metric
from explorer.results.runs import SweepInfo
from explorer.results.table import Scalar, Status, Trial, TrialTable
from explorer.sources.scalars import as_metric, as_scalar
from explorer.sources.source import FileWatch, Kind, Source, guessed_goals
from explorer.store.foreign import clean, decoded
from explorer.store.schema import PLAIN, At

__all__ = ["LARGEST", "MOST_COLUMNS", "MOST_ROWS", "CsvSource", "csv_table"]

LARGEST = 200 * 10**6
"""Bytes of a file."""
MOST_ROWS = 200_000
MOST_COLUMNS = 2000
WIDEST = 2**17
"""Characters of a cell."""

LEADING = ("id", "status", "method", "budget", "on_front", "rank", "why")
"""How a file of ours begins."""
_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]{1,4})?\s*")
_FORMULA = ("'=", "'+", "'-", "'@", "'\t", "'\r")
"""How a text begins that was quoted so that no spreadsheet runs it."""
_STATUSES: dict[str, Status] = {
    **{status: status for status in get_args(Status)},
    **dict.fromkeys(("complete", "completed", "done", "success", "succeeded", "terminated"), "finished"),
    **dict.fromkeys(("fail", "error", "errored", "crashed"), "failed"),
    **dict.fromkeys(("pruned", "cancelled", "canceled", "stopped", "aborted"), "killed"),
    **dict.fromkeys(("waiting", "pending", "queued", "scheduled"), "running"),
}
"""Words of ours, of Optuna, MLflow, Ray Tune and others."""


class CsvSource(Source):
    """One sweep: the file, called by its name without the ending."""

    kind: ClassVar[Kind] = "csv"

    def __init__(self, address: str, file: Path) -> None:
        super().__init__(address)
        self._file, self._name = file, clean(file.stem) or "table"
        self._watch = FileWatch(file, lambda: csv_table(self._name, _text(file)))

    def sweeps(self) -> dict[str, SweepInfo]:
        """The file, read to count its trials."""
        try:
            changed = datetime.fromtimestamp(self._file.stat().st_mtime, UTC)
        except OSError as error:
            raise _unreadable(self._file, error) from error
        count = len(self._watch.look())
        return {
            self._name: SweepInfo(
                self._name, "", "finished", count, changed, clean(self._file.name), "", "csv"
            )
        }

    def watch(self, label: str, info: SweepInfo) -> FileWatch:
        """The file, read again when it has changed."""
        return self._watch


def _unreadable(file: Path, error: Exception) -> UserError:
    return UserError(f"CSV file '{brief(str(file), 150)}' cannot be read ({root_cause(error)}); name another")


def _text(file: Path) -> str:
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise UserError(
                f"a CSV file must have at most {LARGEST:,} bytes, got {size:,} in '{brief(str(file), 150)}'; leave "
                "out columns or rows"
            )
        raw = file.read_bytes()
        if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            return raw.decode("utf-16", errors="replace")
        return decoded(raw).removeprefix("\ufeff")
    except OSError as error:
        raise _unreadable(file, error) from error


class _Layout(NamedTuple):
    """Which columns are what."""

    lead: dict[str, int]
    params: dict[str, int]
    metrics: dict[str, int]
    is_ours: bool


def csv_table(name: str, text: str) -> TrialTable:
    """The trials of a CSV file. O(cells)."""
    divider = _divider(text)
    rows = _rows(text, divider)
    head = next(rows, [])
    if not any(cell.strip() for cell in head) or len(head) > MOST_COLUMNS:
        raise UserError(
            f"a CSV file must begin with a row of 1 to {MOST_COLUMNS:,} headings, got {len(head):,} in '{brief(name)}'"
        )
    body = [row for row in rows if any(row)]
    if divider != ",":
        body = [[_with_point(cell) for cell in row] for row in body]
    catalogue = built_in()
    faults: list[str] = []
    layout = _layout(head, body, catalogue, faults)
    ragged = sum(len(row) != len(head) for row in body)
    if ragged:
        faults.append(f"{ragged:,} rows that have not as many cells as there are headings")
    found: dict[str, Trial] = {}
    for number, row in enumerate(body, start=1):
        trial = _trial(row + [""] * (len(head) - len(row)), layout, number, faults)
        before = found.get(trial.id)
        if before is not None and not layout.is_ours:  # a name that is not one
            trial = _named(trial, f"{trial.id} ({number})")
            before = None
        found[trial.id] = trial if before is None else _joined(before, trial)
    goals = guessed_goals(layout.metrics, catalogue)
    return TrialTable(name, goals, tuple(found.values()), "", catalogue, tuple(faults))


def _divider(text: str) -> str:
    """What divides the cells of the first row: the most frequent of comma, semicolon and tab outside quotes."""
    unquoted = "".join(text[: 2**20].split('"')[::2]) if '"' in text[: 2**20] else text[: 2**20]
    heading = unquoted.lstrip("\r\n").partition("\n")[0].partition("\r")[0]
    return max(",;\t", key=heading.count)


def _with_point(cell: str) -> str:
    """A decimal comma, as spreadsheets of many countries write it where semicolons divide, as a point."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell


def _rows(text: str, divider: str) -> Iterator[list[str]]:
    csv.field_size_limit(WIDEST)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=divider)
    try:
        for number, row in enumerate(reader):
            if number > MOST_ROWS:
                raise UserError(f"a CSV file must have at most {MOST_ROWS:,} rows, got more; leave some out")
            yield row
    except csv.Error as error:
        raise UserError(
            f"a CSV file must be one: line {reader.line_num:,} is not ({brief(str(error))})"
        ) from error


def _layout(
    head: Sequence[str], body: Sequence[Sequence[str]], catalogue: Catalogue, faults: list[str]
) -> _Layout:
    names = [clean(re.sub(r"\s*[\r\n]\s*", " ", _bare(cell).strip())) for cell in head]
    ours = tuple(names[: len(LEADING)]) == LEADING
    lead: dict[str, int] = {}
    params: dict[str, int] = {}
    metrics: dict[str, int] = {}
    wanted: tuple[str, ...] = LEADING if ours else ("id", "status", "why")
    if not ours and "status" in names and not _are_statuses(body, names.index("status")):
        wanted = ("id", "why")
    for number, name in enumerate(names):
        if not name:
            continue
        place = metrics if reads_as_metric(name, catalogue) else params
        if name in wanted and name not in lead:
            place = lead
        else:
            name = name.removeprefix("metric:" if place is metrics else "param:") or name
        if name in place:
            faults.append(f"column {number + 1}, another '{brief(name, 40)}'")
        else:
            place[name] = number
    if ours:
        # After the parameters, which are in order, come the metrics: those that the catalogue does not know too.
        last = min(metrics.values(), default=len(names))
        for name in [name for name, number in params.items() if number > last]:
            metrics[name] = params.pop(name)
    elif not metrics:
        decimal = [name for name, number in params.items() if name != "seed" and _is_decimal(body, number)]
        metrics = {name: params.pop(name) for name in decimal}
    return _Layout(lead, params, metrics, ours)


def _are_statuses(body: Sequence[Sequence[str]], number: int) -> bool:
    """Whether some cell of a column says how a trial stands."""
    return any(_status(row[number]) is not None for row in body if number < len(row))


def _status(cell: str) -> Status | None:
    """How a trial stands; finished where nothing is told, None of a word that is not known."""
    word = cell.strip().lower().removeprefix("trialstate.")
    return _STATUSES.get(word or "finished")


def _bare(cell: str) -> str:
    """A text without the quote that keeps spreadsheets from running it."""
    return cell[1:] if cell.startswith(_FORMULA) else cell


def _is_decimal(body: Sequence[Sequence[str]], number: int) -> bool:
    """Whether a column has numbers only, and one that is not whole."""
    cells = [as_scalar(row[number]) for row in body if number < len(row)]
    present = [cell for cell in cells if cell is not None]
    return any(isinstance(cell, float) for cell in present) and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in present
    )


def _trial(row: Sequence[str], layout: _Layout, number: int, faults: list[str]) -> Trial:
    told = {name: clean(_bare(row[column])).strip() for name, column in layout.lead.items()}
    values = {name: as_metric(row[column]) for name, column in layout.metrics.items()}
    params = {name: _param(row[column]) for name, column in layout.params.items()}
    measured = {name: value for name, value in values.items() if value is not None and abs(value) < INFINITE}
    at = _at(told) if layout.is_ours else PLAIN
    identity = told.get("id") or f"row {number}"
    status = _status(told.get("status", ""))
    if status is None:
        faults.append(f"status '{brief(told['status'], 40)}' of trial {brief(identity, 40)}")
        status = "killed"
    return Trial(
        id=identity,
        run_id=identity,
        status=status,
        params={name: value for name, value in params.items() if value is not None},
        readings={PLAIN: {}, at: measured},
        reason=(told.get("why") or None) if status != "finished" else None,
    )


def _param(cell: str) -> Scalar:
    bare = _bare(cell)
    return as_scalar(bare) if bare == cell else clean(bare)


def _at(told: dict[str, str]) -> At:
    budget = as_metric(told.get("budget", ""))
    if budget is None or budget <= 1 or not told.get("method"):
        return PLAIN
    return At(told["method"], budget)


def _named(trial: Trial, identity: str) -> Trial:
    return Trial(identity, identity, trial.status, trial.params, trial.readings, trial.reason)


def _joined(trial: Trial, more: Trial) -> Trial:
    """A trial with one reading more."""
    readings = {**trial.readings, **{at: values for at, values in more.readings.items() if values}}
    return Trial(trial.id, trial.run_id, trial.status, trial.params, readings, trial.reason)
