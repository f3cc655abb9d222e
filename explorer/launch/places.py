"""Where a sweep keeps things: its runs, its checkpoints, what its search has asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from explorer.errors import UserError, root_cause
from explorer.folders import data_folder, default_tracking_uri
from explorer.launch.kept_text import KeptText
from explorer.storage import local_folder, open_files, shown_storage
from explorer.store.addresses import shown_address, sqlite_address, without_password
from explorer.sweep.sweep import Sweep
from explorer.tracking import Owner, Spool, waiting
from explorer.words import counted
from trainables.config import fingerprint
from trainables.training.state_files import StateFiles, iterations_in

__all__ = [
    "NewestCheckpoints",
    "checkpoint_files",
    "checkpoint_place",
    "made_checkpoint_files",
    "memo_of",
    "opened_spool",
    "ray_log",
    "spool_folder",
    "storage_place",
    "tracking_uri",
]


def tracking_uri(sweep: Sweep) -> str:
    """The sweep's own store, else the default one."""
    return sweep.tracking.uri or default_tracking_uri()


def checkpoint_place(sweep: Sweep) -> str:
    """Where the trials of all sweeps keep their states: an absolute path, or the address of a store."""
    return storage_place(sweep.resources.storage)


def storage_place(storage: str | None) -> str:
    """What ``resources.storage`` names; the usual folder where it names nothing."""
    if storage is None:
        return str(data_folder() / "checkpoints")
    folder = local_folder(storage)
    return storage.rstrip("/") if folder is None else str(folder)


def checkpoint_files(sweep: Sweep) -> StateFiles:
    """The files there; a store that cannot be opened is refused."""
    place = checkpoint_place(sweep)
    try:
        return open_files(place)
    except OSError as error:
        raise _refused(shown_storage(place), error) from error


def ray_log(sweep: Sweep) -> Path:
    """Where what Ray says of itself goes while the sweep runs."""
    folder = data_folder() / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{sweep.name}.ray.log"


def made_checkpoint_files(sweep: Sweep) -> StateFiles:
    """The same files, in a place that is there now and can be written."""
    files = checkpoint_files(sweep)
    try:
        files.check()
    except OSError as error:
        raise _refused(files.place(), error) from error
    return files


def spool_folder(sweep: Sweep) -> Path:
    """Where what its trials tell waits for the store: one place for a sweep, a store and an experiment.

    A store stays the same one under another password, and a file wherever the command is given.
    """
    store = without_password(sqlite_address(tracking_uri(sweep))).rstrip("/")
    place = fingerprint([store, sweep.tracking.experiment], 8)
    return data_folder() / "spool" / f"{sweep.name}-{place}"


@contextmanager
def opened_spool(sweep: Sweep, tell: Callable[[str], None]) -> Iterator[Spool]:
    """The spool, for one launch at a time; one that cannot be read is put aside, which ``tell`` hears.

    It also hears of what an earlier launch told another store, which did not take it.
    """
    folder, store = spool_folder(sweep), shown_address(sqlite_address(tracking_uri(sweep)))
    try:
        spool = Spool(folder, Owner(sweep.name, store, sweep.tracking.experiment))
    except OSError as error:
        raise UserError(
            f"the folder '{folder}', in which results wait for the tracking store, must be writable "
            f"({root_cause(error)}); make room there or set TRADEOFF_HOME to another place"
        ) from error
    if spool.aside is not None:
        tell(
            f"results that waited for the tracking store cannot be read; they were put aside as {spool.aside}"
        )
    for told in _told_elsewhere(sweep.name, folder):
        tell(told)
    try:
        yield spool
    finally:
        spool.close()


def _told_elsewhere(sweep: str, here: Path) -> Iterator[str]:
    """Sentences on spools in which results of the sweep wait for other stores than the one ``here``."""
    for folder in sorted(here.parent.glob("*")):
        found = None if folder == here else waiting(folder)
        if found is not None and found.owner is not None and found.owner.sweep == sweep:
            yield (
                f"another store, {found.owner.store} (experiment '{found.owner.experiment}'), still lacks "
                f"{counted(found.entries, 'result')} of an earlier launch; a launch with that store sends what waits"
            )


class NewestCheckpoints:
    """Iteration of a trial's newest checkpoint, 0 if none; reads names only.

    In a folder names are looked at whenever they are asked for. In a store, where every look is a request, those of all
    trials are listed when the first is asked for; what has been trained since must be told to ``forget``.
    """

    def __init__(self, files: StateFiles) -> None:
        self._files = files
        self._listed: dict[str, int] | None = None

    def __call__(self, trial: str) -> int:
        """That of one trial; a store that cannot be asked is refused."""
        if not self._files.far:
            return _newest(self._files.names(trial))
        try:
            if self._listed is None:
                found = self._files.listing()
                self._listed = {name: _newest(names) for name, names in found.items()}
            elif self._listed.get(trial) == _FORGOTTEN:
                self._listed[trial] = _newest(self._files.names(trial))
        except OSError as error:
            raise _refused(self._files.place(), error) from error
        return self._listed.get(trial, 0)

    def forget(self, trial: str) -> None:
        """The trial has been trained since: its names are looked at again when they are asked for."""
        if self._listed is not None:
            self._listed[trial] = _FORGOTTEN


_FORGOTTEN = -1


def _newest(names: Iterable[str]) -> int:
    return max(iterations_in(names), default=0)


def _refused(place: str, error: OSError) -> UserError:
    other = "place" if "://" in place else "folder"
    return UserError(
        f"checkpoints cannot be kept in '{place}' ({error.strerror or error}); set resources.storage to another {other}"
    )


def memo_of(sweep: Sweep) -> KeptText:
    """What the sweep's search has asked.

    A memo belongs to one question: other data, another start, another search or other settings of it are another. How
    many trials and seeds there are, and how far the space reaches, is none of it.
    """
    asked: list[object] = [sweep.search.question(), dict(sweep.sections)]
    if sweep.start is not None:
        asked.append([sweep.document["start"], sweep.document["base"]])
    return KeptText(checkpoint_files(sweep).document(f"{sweep.name}-{fingerprint(asked, 8)}"))
