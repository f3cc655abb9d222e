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
from typing import ClassVar

from explorer.errors import UserError, brief, root_cause
from explorer.results.catalogue import INFINITE, built_in
from explorer.results.runs import SweepInfo
from explorer.results.table import Trial, TrialTable
from explorer.sources.csv_headings import Layout, layout_of, status_of_word
from explorer.sources.scalars import as_metric, from_cell, unquoted
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

_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]{1,4})?\s*")


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
    names = [clean(re.sub(r"\s*[\r\n]\s*", " ", unquoted(cell).strip())) for cell in head]
    layout = layout_of(names, body, catalogue, faults)
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


def _trial(row: Sequence[str], layout: Layout, number: int, faults: list[str]) -> Trial:
    told = {name: clean(unquoted(row[column])).strip() for name, column in layout.lead.items()}
    values = {name: as_metric(row[column]) for name, column in layout.metrics.items()}
    params = {name: from_cell(row[column]) for name, column in layout.params.items()}
    measured = {name: value for name, value in values.items() if value is not None and abs(value) < INFINITE}
    at = _at(told) if layout.is_ours else PLAIN
    identity = told.get("id") or f"row {number}"
    status = status_of_word(told.get("status", ""))
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
