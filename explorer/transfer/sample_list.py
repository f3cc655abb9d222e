"""Which sets of samples are measured, and what is told of each: one on the command line, or many in a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from explorer.errors import UserError, brief, root_cause
from explorer.sources.scalars import from_cell
from explorer.store.foreign import clean, decoded
from explorer.store.schema import Scalar

__all__ = ["SAMPLES", "SampleTrial", "parse_params", "read_list"]

SAMPLES = "samples"
"""The parameter that says what a set is called."""
FAKE = "fake"
"""The column that says where a set lies."""
LARGEST, MOST = 10**7, 10_000
"""Bytes and rows of a table."""
_PATH = re.compile(r"[^\W\d][\w.-]{0,199}")


@dataclass(frozen=True)
class SampleTrial:
    """A set of samples of a model, and the parameters by which it is told from others."""

    fake: Path
    params: Mapping[str, Scalar]

    @property
    def told(self) -> dict[str, Scalar]:
        """The parameters, with what the set is called, unless they say that."""
        return {SAMPLES: clean(self.fake.stem) or "samples", **self.params}


def parse_params(words: Iterable[str]) -> dict[str, Scalar]:
    """``["model=a", "lam=1"]`` → ``{"model": "a", "lam": 1}``."""
    found: dict[str, Scalar] = {}
    for word in words:
        path, sign, value = word.partition("=")
        if not sign:
            raise UserError(
                f"a parameter is given as key=value, got '{brief(word)}'; write --param model=mine"
            )
        _check_path(path)
        if path in found:
            raise UserError(
                f"a parameter is given once, got '{path}' twice; leave one out, or list sets with --table FILE.csv"
            )
        _add(found, path, value)
    return found


def read_list(file: Path, shared: Mapping[str, Scalar]) -> list[SampleTrial]:
    """A row per set: the column ``fake`` is its path, from the folder of the table; all others are parameters."""
    told = f"table '{brief(str(file), 100)}'"
    rows = list(csv.reader(io.StringIO(_text(file, told), newline="")))
    head = [cell.strip() for cell in rows[0]] if rows else []
    if head.count(FAKE) != 1 or len(set(head)) < len(head):
        raise UserError(
            f"{told} must have headings, each once, one of them '{FAKE}', got {brief(', '.join(head), 80)}"
        )
    for path in head:
        _check_path(path)
        if path in shared:
            raise UserError(f"parameter '{path}' is a column of {told} and a --param too; leave one out")
    found = [
        _row(head, row, file.parent, shared, told) for row in rows[1:] if any(cell.strip() for cell in row)
    ]
    if not 0 < len(found) <= MOST:
        raise UserError(f"{told} must have 1 to {MOST:,} rows below its headings, got {len(found):,}")
    return found


def _text(file: Path, told: str) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise UserError(f"{told} must have at most {LARGEST:,} bytes, got {file.stat().st_size:,}")
        return decoded(file.read_bytes()).removeprefix("\ufeff")
    except OSError as error:
        raise UserError(f"{told} cannot be read ({root_cause(error)}); name another") from error


def _row(
    head: Sequence[str], row: Sequence[str], folder: Path, shared: Mapping[str, Scalar], told: str
) -> SampleTrial:
    if len(row) != len(head):
        raise UserError(
            f"{told} must have {len(head)} cells in every row, got {len(row)} in '{brief(','.join(row))}'"
        )
    cells = dict(zip(head, row, strict=True))
    path = cells.pop(FAKE).strip()
    if not path:
        raise UserError(f"{told} must name the samples of every row in its column '{FAKE}', and one is empty")
    params = dict(shared)
    for key, value in cells.items():
        _add(params, key, value)
    return SampleTrial(folder / Path(path).expanduser(), params)


def _check_path(path: str) -> None:
    if not _PATH.fullmatch(path) or not path.isascii():
        raise UserError(
            f"a parameter's name is letters, digits, '_', '.' or '-' and begins with a letter, got '{brief(path)}'"
        )


def _add(found: dict[str, Scalar], path: str, text: str) -> None:
    """An empty cell tells nothing."""
    value = from_cell(text)
    if isinstance(value, str) and len(value) > 500:
        raise UserError(f"a parameter's value has at most 500 characters, got {len(value):,} for '{path}'")
    if value is not None:
        found[path] = value
