"""What is at an address, taken into a store: an archive, a sweep of another store, or a table of anybody's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.errors import UserError, brief
from explorer.goals import Goal
from explorer.results.runs import SweepInfo
from explorer.results.table import TrialTable
from explorer.sources import Source, open_source
from explorer.sources.mlflow_store import StoreSource
from explorer.store.addresses import named_address, shown_address, sqlite_address
from explorer.transfer.archive_reading import is_archive
from explorer.transfer.arrival import EXPERIMENT, Arrival, check_name, import_archive, named_like
from explorer.transfer.departure import export_sweep
from explorer.transfer.tables import import_table
from trainables.nearest import listed, nearest

__all__ = ["chosen_sweep", "chosen_table", "import_address"]

Stage = Callable[[str], None]


def import_address(
    address: str,
    uri: str,
    name: str | None = None,
    experiment: str | None = None,
    goals: Sequence[Goal] | None = None,
    sweep: str | None = None,
    stage: Stage = lambda told: None,
) -> Arrival:
    """Take what is at an address into the store at ``uri``, as the sweep ``name``, by default called as it is there.

    Archives and sweeps of ours come whole; of what others wrote come trials, parameters, metrics with their histories,
    statuses and times. ``goals`` are for the latter; ``sweep`` says which, where an address holds several. Done again,
    it writes what is new.
    """
    if name is not None:
        check_name(name)
    file = _file(address)
    if file is not None and is_archive(file):
        _refuse_goals(goals, "an archive")
        if sweep is not None:
            raise UserError(f"an archive holds one sweep; leave out --sweep {brief(sweep)}")
        return import_archive(file, uri, name, experiment, stage)
    stage(f"reading {shown_address(address)}")
    source = open_source(named_address(address, "the address"))
    label, info = chosen_sweep(source, sweep)
    if info.kind == "sweep" and isinstance(source, StoreSource):
        _refuse_goals(goals, "a sweep of ours")
        return _from_store(source, info, uri, name, experiment, stage)
    table = chosen_table(source, label, info, goals)
    told = name or named_like(info.name)
    origin = f"{source.kind} {_hash(_place(source), info.experiment_id)}"
    place = uri, experiment or EXPERIMENT, experiment is None
    return import_table(table, source, info, place, told, origin, stage, goals is not None)


def chosen_sweep(source: Source, wanted: str | None) -> tuple[str, SweepInfo]:
    """The sweep of a source that is meant: the one of that label, or the only one."""
    if wanted is not None:
        return wanted, source.info(wanted)
    found = source.sweeps()
    if len(found) != 1:
        what = f"holds several sweeps, {listed(list(found))}" if found else "holds no sweep"
        raise UserError(
            f"'{shown_address(source.address)}' {what}; "
            f"{'say which with --sweep' if found else 'name an address that has one'}"
        )
    return next(iter(found.items()))


def chosen_table(source: Source, label: str, info: SweepInfo, goals: Sequence[Goal] | None) -> TrialTable:
    """The trials of a sweep under other objectives, if some are given, which must be measured."""
    table = source.table(label, info, goals)
    known = table.metric_names()
    for goal in goals or ():
        if goal.metric not in known:
            raise UserError(
                f"an objective must be measured, got '{brief(goal.metric)}'{nearest(goal.metric, known)}"
            )
    return table


def _from_store(
    source: StoreSource, info: SweepInfo, uri: str, name: str | None, experiment: str | None, stage: Stage
) -> Arrival:
    """A sweep of ours in another store: as an archive would bring it, which is made for the purpose."""
    with TemporaryDirectory(prefix="tradeoff-") as folder:
        file = Path(folder) / "sweep.zip"
        left = export_sweep(source.store, info.name, file, stage=stage, experiment_id=info.experiment_id)
        origin = f"sweep {_hash(_place(source), info.experiment_id, info.name)}"
        found = import_archive(file, uri, name, experiment, stage, origin)
    return found._replace(notes=(*(f"left out: {note}" for note in left.notes), *found.notes))


def _place(source: Source) -> str:
    return sqlite_address(source.address)


def _hash(*parts: str) -> str:
    """Of an address, which may hold a password."""
    return hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:16]


def _file(address: str) -> Path | None:
    try:
        file = Path(address).expanduser()
        return file if "://" not in address and file.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _refuse_goals(goals: Sequence[Goal] | None, what: str) -> None:
    if goals is not None:
        raise UserError(f"{what} has objectives of its own; leave out --goals")
