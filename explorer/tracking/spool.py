"""A durable queue of entries on this machine: what was told is kept until the store has it.

One SQLite file, and beside it a folder of contents named by their digests, so that equal artifacts are kept once. A
process may be killed at any point: an entry is there whole or not at all, and its contents are there before it is.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from explorer.tracking.entries import Entry, Files

__all__ = ["Kept", "Owner", "Spool", "Waiting", "waiting"]

FILE, CONTENTS = "entries.db", "contents"
_FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")

_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, trial TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS named (digest TEXT, number INTEGER, PRIMARY KEY (digest, number)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_number ON named (number);
CREATE TABLE IF NOT EXISTS owner (sweep TEXT NOT NULL, store TEXT NOT NULL, experiment TEXT NOT NULL);
"""
_FIRST = (
    "SELECT number, trial, at, kind, body FROM entries WHERE number NOT IN (SELECT value FROM json_each(?)) "
    "ORDER BY number LIMIT ?"
)
_PUT = "INSERT INTO entries (trial, at, kind, body) VALUES (?, ?, ?, ?)"


class Owner(NamedTuple):
    """Whose entries a queue holds: a sweep's, in an experiment of a store, whose address is one for people."""

    sweep: str
    store: str
    experiment: str


class Waiting(NamedTuple):
    """How many entries a queue holds that no process has open, and whose they are, if it says so."""

    entries: int
    owner: Owner | None


class Kept(NamedTuple):
    """An entry and its number, by which it is dropped."""

    number: int
    entry: Entry


class Spool:
    """The queue of one sweep, for one process at a time and any of its threads.

    To put an entry takes some 20 µs and does not wait for the disk: it survives the process, and the machine but for
    the last moments before it loses power. Time and memory are O(entries asked for), whatever is in the queue.

    Attributes:
        aside: where a queue that could not be read was put, if so.
    """

    def __init__(self, folder: Path, owner: Owner | None = None) -> None:
        """``owner`` is written down for whoever looks into the folder."""
        self.folder = folder
        self.aside: Path | None = None
        self._lock = threading.Lock()
        (folder / CONTENTS).mkdir(parents=True, exist_ok=True)
        try:
            self._link = _opened(folder / FILE)
        except sqlite3.OperationalError as error:  # a full disk, or one that only reads
            raise OSError(f"{folder / FILE}: {error}") from error
        except sqlite3.DatabaseError:
            self.aside = _set_aside(folder / FILE)
            self._link = _opened(folder / FILE)
        if owner is not None:
            with self._change() as link:
                link.execute("DELETE FROM owner")
                link.execute("INSERT INTO owner VALUES (?, ?, ?)", owner)
        wanted = {digest for (digest,) in self._link.execute("SELECT digest FROM named")}
        for left in (folder / CONTENTS).iterdir():
            if left.name not in wanted:  # of an entry that a killed process did not come to write
                left.unlink(missing_ok=True)

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep these, all or none of them, in this order."""
        with self._lock, self._change() as link:
            link.executemany(_PUT, [_row(one) for one in entries])

    def put_files(self, trial: str, at: int, files: Mapping[str, bytes]) -> None:
        """Keep artifacts of a trial, contents first."""
        with self._lock, self._change() as link:
            digests = {name: self._keep(content) for name, content in files.items()}
            number = link.execute(_PUT, _row(Entry(trial, at, Files(digests)))).lastrowid
            link.executemany("INSERT INTO named VALUES (?, ?)", [(d, number) for d in set(digests.values())])

    def first(self, most: int, but: Iterable[int] = ()) -> list[Kept]:
        """The oldest entries, in their order, ``but`` some; what is none, by another version's hand, is dropped."""
        with self._reading() as link:
            rows = link.execute(_FIRST, (json.dumps(list(but)), most)).fetchall()
        found, none = [], []
        for number, trial, at, kind, body in rows:
            try:
                found.append(Kept(number, Entry.parse(trial, at, kind, body)))
            except ValueError:
                none.append(number)
        self.drop(none)
        return found

    def content(self, digest: str) -> Path:
        """The file in which the content of an artifact is kept."""
        return self.folder / CONTENTS / digest

    def drop(self, numbers: Iterable[int]) -> None:
        """The store has these; contents that no other entry names go with them."""
        gone = [(number,) for number in numbers]
        if not gone:
            return
        with self._lock:
            with self._change() as link:
                digests = set()
                for one in gone:
                    digests |= {d for (d,) in link.execute("SELECT digest FROM named WHERE number = ?", one)}
                link.executemany("DELETE FROM entries WHERE number = ?", gone)
                link.executemany("DELETE FROM named WHERE number = ?", gone)
            for digest in digests:  # once the queue is known to be without them
                if not self._link.execute("SELECT 1 FROM named WHERE digest = ?", (digest,)).fetchone():
                    self.content(digest).unlink(missing_ok=True)

    def date(self, numbers: Iterable[int], at: int) -> None:
        """These were told at that moment, as the store has it."""
        dated = [(at, number) for number in numbers]
        if dated:
            with self._lock, self._change() as link:
                link.executemany("UPDATE entries SET at = ? WHERE number = ?", dated)

    def __len__(self) -> int:
        with self._reading() as link:
            return int(link.execute("SELECT count(*) FROM entries").fetchone()[0])

    def close(self) -> None:
        """Let go of the file; an empty queue leaves nothing behind."""
        try:
            empty = not len(self)
        except OSError:  # it is damaged, and will be put aside by whoever opens it next
            empty = False
        with self._lock:
            self._link.close()
        if empty:
            with suppress(OSError):
                for name in _FILES:
                    (self.folder / name).unlink(missing_ok=True)
                (self.folder / CONTENTS).rmdir()
                self.folder.rmdir()

    def _keep(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        file = self.content(digest)
        if not file.exists():
            beside = file.with_suffix(".part")
            beside.write_bytes(content)
            beside.replace(file)
        return digest

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """One transaction; the lock is held."""
        try:
            with self._link:
                yield self._link
        except sqlite3.DatabaseError as error:
            raise OSError(f"{self.folder / FILE}: {error}") from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The file for this thread alone."""
        with self._lock:
            try:
                yield self._link
            except sqlite3.DatabaseError as error:
                raise OSError(f"{self.folder / FILE}: {error}") from error


def waiting(folder: Path) -> Waiting | None:
    """What waits in a folder; None where nothing does, where a process has it open, and where nothing can be read."""
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=0)) as link:
            (count,) = link.execute("SELECT count(*) FROM entries").fetchone()
            known = link.execute("SELECT name FROM sqlite_master WHERE name = 'owner'").fetchone()
            found = link.execute("SELECT * FROM owner").fetchone() if known else None
    except sqlite3.Error:
        return None
    return Waiting(count, Owner(*map(str, found)) if found else None) if count else None


def _row(entry: Entry) -> tuple[str, int, str, str]:
    return entry.trial, entry.at, entry.kind(), entry.text()


def _opened(file: Path) -> sqlite3.Connection:
    link = sqlite3.connect(file, check_same_thread=False, timeout=30)
    try:
        # One process has the file to itself, which spares it shared memory: a network's file system has none.
        link.execute("PRAGMA locking_mode = EXCLUSIVE")
        link.execute("PRAGMA journal_mode = WAL")
        link.execute("PRAGMA synchronous = NORMAL")
        link.executescript(_TABLES)
        told = link.execute("PRAGMA quick_check(1)").fetchone()
        if told != ("ok",):
            raise sqlite3.DatabaseError(str(told))
        link.execute(_FIRST, ("[]", 1)).fetchone()
        link.execute("SELECT count(*) FROM named").fetchone()
    except BaseException:
        link.close()
        raise
    return link


def _set_aside(file: Path) -> Path:
    """A queue that is none is moved away, not deleted."""
    number, aside = 1, file.with_name(f"{file.name}.damaged")
    while aside.exists():
        number, aside = number + 1, file.with_name(f"{file.name}.damaged.{number}")
    file.replace(aside)
    for name in _FILES[1:]:
        file.with_name(name).unlink(missing_ok=True)
    return aside
