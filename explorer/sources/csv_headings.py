"""What the columns of a table are, by their headings: ours, those of programs that write trials down, anybody's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from explorer.errors import brief
from explorer.results.catalogue import Catalogue, reads_as_metric
from explorer.sources.ray_trials import ITS_OWN
from explorer.sources.scalars import as_scalar
from explorer.store.schema import Scalar, Status

__all__ = ["LEADING", "Layout", "layout_of", "status_of_word"]

LEADING = ("id", "status", "method", "budget", "on_front", "rank", "why")
"""How a file of ours begins."""
_STATUSES: dict[str, Status] = {
    **{status: status for status in get_args(Status)},
    **dict.fromkeys(("complete", "completed", "done", "success", "succeeded", "terminated"), "finished"),
    **dict.fromkeys(("fail", "error", "errored", "crashed"), "failed"),
    **dict.fromkeys(("pruned", "cancelled", "canceled", "stopped", "aborted"), "killed"),
    **dict.fromkeys(("waiting", "pending", "queued", "scheduled"), "running"),
}
"""Words of ours, of Optuna, MLflow, Ray Tune and others."""

Kind = Literal["lead", "metric", "param", "number", "guess", "bookkeeping"]
"""``number``: a metric if numbers are all that it holds; ``guess``: what nobody says."""


class Layout(NamedTuple):
    """Which columns are what; ``lead``: those that say who a trial is, how it stands and why."""

    lead: dict[str, int]
    params: dict[str, int]
    metrics: dict[str, int]
    is_ours: bool


class _Dialect(NamedTuple):
    """How a program writes tables of trials.

    Attributes:
        marks: headings that each of its tables has.
        named: what single headings are, and what they are called here.
        begins: how headings of a kind begin, which is no part of the name.
        bookkeeping: headings, or how they begin, of what a program keeps for itself.
        others: all other headings.
    """

    marks: tuple[str, ...]
    named: Mapping[str, tuple[Kind, str]]
    begins: Mapping[str, Kind]
    bookkeeping: tuple[str, ...] = ()
    others: Kind = "guess"

    def read(self, heading: str) -> tuple[Kind, str]:
        """What a column is, and what it is called; a number alone is no name."""
        if heading in self.named:
            return self.named[heading]
        for start, kind in self.begins.items():
            rest = heading.removeprefix(start)
            if rest and rest != heading:
                named = heading if rest.isdecimal() else rest.replace("/", ".") if start[-1] == "/" else rest
                return kind, named
        own = any(heading == one or (one[-1] in "._" and heading.startswith(one)) for one in self.bookkeeping)
        return "bookkeeping" if own else self.others, heading


_PREFIXES: Mapping[str, Kind] = {"metric:": "metric", "param:": "param"}
_OURS = _Dialect(LEADING, {name: ("lead", name) for name in LEADING}, _PREFIXES)
_ANYBODY = _Dialect((), {"id": ("lead", "id"), "why": ("lead", "why")}, _PREFIXES)
_PROGRAMS = (
    _Dialect(  # mlflow.search_runs
        ("run_id", "experiment_id", "status"),
        {"run_id": ("lead", "id"), "status": ("lead", "status")},
        {"metrics.": "metric", "params.": "param"},
        ("experiment_id", "artifact_uri", "start_time", "end_time", "tags."),
    ),
    _Dialect(  # what MLflow's pages download
        ("Run ID", "Start Time", "Status"),
        {"Run ID": ("lead", "id"), "Status": ("lead", "status")},
        {},
        ("Start Time", "Duration", "Name", "Source Type", "Source Name", "User"),
    ),
    _Dialect(  # trials_dataframe of an Optuna study
        ("number", "state", "datetime_start"),
        {"number": ("lead", "id"), "state": ("lead", "status"), "value": ("metric", "values_0")},
        {"values_": "metric", "params_": "param", "user_attrs_": "number"},
        ("datetime_start", "datetime_complete", "duration", "system_attrs_"),
    ),
    _Dialect(  # get_dataframe of Ray Tune's results
        ("trial_id", "training_iteration"),
        {"trial_id": ("lead", "id")},
        {"config/": "param"},
        (*sorted(ITS_OWN), "logdir"),
        "number",
    ),
    _Dialect(  # what Weights & Biases exports
        ("Name", "State", "Created", "Runtime"),
        {"Name": ("lead", "id"), "State": ("lead", "status")},
        {},
        ("ID", "Notes", "User", "Tags", "Created", "Runtime", "Sweep"),
    ),
)


def layout_of(
    names: Sequence[str], body: Sequence[Sequence[str]], catalogue: Catalogue, faults: list[str]
) -> Layout:
    """Which columns are what. Where no heading is known as a metric's, columns of decimal numbers are metrics."""
    dialect = _dialect(names)
    lead, params, metrics = dict[str, int](), dict[str, int](), dict[str, int]()
    for number, heading in enumerate(names):
        kind, name = _read(dialect, heading, number, body, catalogue)
        if kind == "lead" and name in lead:
            kind, name = "guess", heading
        place = lead if kind == "lead" else metrics if kind == "metric" else params
        if not heading or kind == "bookkeeping":
            continue
        if name in place:
            faults.append(f"column {number + 1}, another '{brief(name, 40)}'")
        else:
            place[name] = number
    if dialect is _OURS:
        # After the parameters, which are in order, come the metrics: those that the catalogue does not know too.
        last = min(metrics.values(), default=len(names))
        for name in [name for name, number in params.items() if number > last]:
            metrics[name] = params.pop(name)
    elif not metrics:
        decimal = [name for name, number in params.items() if name != "seed" and _is_decimal(body, number)]
        metrics = {name: params.pop(name) for name in decimal}
    return Layout(lead, params, metrics, dialect is _OURS)


def _dialect(names: Sequence[str]) -> _Dialect:
    if tuple(names[: len(LEADING)]) == LEADING:
        return _OURS
    return next((one for one in _PROGRAMS if set(one.marks) <= set(names)), _ANYBODY)


def _read(
    dialect: _Dialect, heading: str, number: int, body: Sequence[Sequence[str]], catalogue: Catalogue
) -> tuple[Kind, str]:
    """What a column is, and what it is called."""
    kind, name = dialect.read(heading)
    if dialect is _ANYBODY and heading.lower() in ("status", "state") and _are_statuses(body, number):
        return "lead", "status"
    if kind == "number":
        return ("metric" if _is_numeric(body, number) else "param"), name
    if kind == "guess" and reads_as_metric(heading, catalogue):
        return "metric", name
    return kind, name


def _are_statuses(body: Sequence[Sequence[str]], number: int) -> bool:
    """Whether some cell of a column says how a trial stands."""
    told = (row[number] for row in body if number < len(row))
    return any(cell.strip() and status_of_word(cell) is not None for cell in told)


def status_of_word(cell: str) -> Status | None:
    """How a trial stands; finished where nothing is told, None of a word that is not known."""
    word = cell.strip().lower().removeprefix("trialstate.")
    return _STATUSES.get(word or "finished")


def _is_decimal(body: Sequence[Sequence[str]], number: int) -> bool:
    """Whether a column has numbers only, and one that is not whole."""
    return _is_numeric(body, number) and any(isinstance(cell, float) for cell in _cells(body, number))


def _is_numeric(body: Sequence[Sequence[str]], number: int) -> bool:
    """Whether a column has numbers only, one at least."""
    found = _cells(body, number)
    return bool(found) and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in found)


def _cells(body: Sequence[Sequence[str]], number: int) -> list[Scalar]:
    """What the cells of a column spell, without those that are empty."""
    cells = (as_scalar(row[number]) for row in body if number < len(row))
    return [cell for cell in cells if cell is not None]
