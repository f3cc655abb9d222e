"""States in an object store, or any other file system that pyarrow opens."""

from __future__ import annotations

import errno
import re
import secrets
import time
from collections.abc import Callable
from typing import TypeVar

from pyarrow.fs import FileInfo, FileSelector, FileSystem, FileType

from explorer.errors import brief
from trainables.training.state_files import DOCUMENTS, StateFiles, Unreachable

__all__ = ["ArrowFiles", "patiently"]

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts to reach a store; each attempt is a few requests of pyarrow's own."""

OBJECT_STORES = ("s3", "gcs", "abfs")
"""An object appears when it is whole. Other file systems show a file while it is written, so it is moved into place."""

_GONE = ("NO_SUCH_KEY",)
_DENIED = (
    "ACCESS_DENIED",
    "EXPIRED_TOKEN",
    "INVALID_ACCESS_KEY_ID",
    "INVALID_CLIENT_TOKEN_ID",
    "SIGNATURE_DOES_NOT_MATCH",
    "UNRECOGNIZED_CLIENT",
)

Result = TypeVar("Result")


class ArrowFiles(StateFiles):
    """``FOLDER/TRIAL/NAME`` in a pyarrow file system; ``shown`` is the folder's address for people.

    A request that fails is made again for about half a minute, unless the answer was a refusal.
    """

    far = True

    def __init__(self, filesystem: FileSystem, folder: str, shown: str) -> None:
        self._system = filesystem
        self._folder = folder.rstrip("/")
        self._shown = shown
        self._objects = filesystem.type_name in OBJECT_STORES

    def place(self, trial: str = "", name: str = "") -> str:
        """The address, without its options."""
        return "/".join(part for part in (self._shown, trial, name) if part)

    def check(self) -> None:
        """Write a file of no length and remove it."""
        self._check_bucket()
        name = f".writable-{secrets.token_hex(4)}"
        self.write("", name, b"")
        self.remove("", name)

    def _check_bucket(self) -> None:
        """A listing of a bucket that is not there is empty, and so is one of a bucket that is."""
        bucket = self._folder.partition("/")[0]
        if not self._objects:
            return
        found: FileInfo = patiently(self._shown, lambda: self._system.get_file_info(bucket))
        if found.type == FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, f"there is no bucket '{bucket}'", self._shown)

    def names(self, trial: str) -> list[str]:
        """The files of a trial, in one request for every thousand."""
        return [info.base_name for info in self._infos(trial, recursive=False)]

    def listing(self) -> dict[str, list[str]]:
        """The files of every trial, in one request for every thousand files."""
        found: dict[str, list[str]] = {}
        for info in self._infos("", recursive=True):
            trial, _, name = info.path[len(self._folder) + 1 :].partition("/")
            if name and "/" not in name and trial != DOCUMENTS:
                found.setdefault(trial, []).append(name)
        if not found:
            self._check_bucket()
        return found

    def _infos(self, trial: str, recursive: bool) -> list[FileInfo]:
        where = FileSelector(self._path(trial), allow_not_found=True, recursive=recursive)
        infos: list[FileInfo] = patiently(self.place(trial), lambda: self._system.get_file_info(where))
        return [info for info in infos if info.type == FileType.File]

    def read(self, trial: str, name: str) -> bytes:
        """What a file holds."""

        def ask() -> bytes:
            with self._system.open_input_stream(self._path(trial, name)) as stream:
                data: bytes = stream.read()
            return data

        return patiently(self.place(trial, name), ask)

    def write(self, trial: str, name: str, data: bytes) -> None:
        """Write a file: one that is not whole by the end does not appear."""
        path = self._path(trial, name)
        if self._objects:
            patiently(self.place(trial, name), lambda: self._put(path, data))
            return
        partial = self._path(trial, f".{name}.{secrets.token_hex(4)}.partial")

        def ask() -> None:
            self._system.create_dir(self._path(trial), recursive=True)
            self._put(partial, data)
            self._system.move(partial, path)

        patiently(self.place(trial, name), ask)

    def _put(self, path: str, data: bytes) -> None:
        with self._system.open_output_stream(path) as stream:
            stream.write(data)

    def remove(self, trial: str, name: str) -> None:
        """Remove a file."""
        try:
            patiently(self.place(trial, name), lambda: self._system.delete_file(self._path(trial, name)))
        except FileNotFoundError:
            return

    def move(self, trial: str, name: str, to_trial: str, to_name: str) -> None:
        """Rename a file; in an object store that is a copy, then the original goes."""

        def ask() -> None:
            if not self._objects:
                self._system.create_dir(self._path(to_trial), recursive=True)
            self._system.move(self._path(trial, name), self._path(to_trial, to_name))

        patiently(self.place(trial, name), ask)

    def _path(self, trial: str, name: str = "") -> str:
        return "/".join(part for part in (self._folder, trial, name) if part)


def patiently(place: str, ask: Callable[[], Result]) -> Result:
    """The answer to a request, made again while nobody answers; else an OSError with a sentence on ``place``."""
    for pause in (*PAUSES, None):
        try:
            return ask()
        except FileNotFoundError as error:
            raise FileNotFoundError(errno.ENOENT, "No such file", place) from error
        except OSError as error:
            refusal = _refusal(error, place)
            if refusal is not None:
                raise refusal from error
            if pause is None:
                raise Unreachable(errno.EIO, f"it could not be reached ({_reason(error)})", place) from error
        time.sleep(pause)
    raise AssertionError("unreachable")


def _refusal(error: OSError, place: str) -> OSError | None:
    """What the same request would be answered again; None if it may pass."""
    code = _code(error)
    if isinstance(error, PermissionError) or code in _DENIED:
        return PermissionError(errno.EACCES, f"access was denied: {_reason(error)}", place)
    if code in _GONE:
        return FileNotFoundError(errno.ENOENT, "No such file", place)
    if code == "NO_SUCH_BUCKET":
        return FileNotFoundError(errno.ENOENT, "there is no such bucket", place)
    return None


def _code(error: OSError) -> str:
    found = re.search(r"AWS Error ([A-Z_]+)", str(error))
    return found[1] if found else ""


def _reason(error: OSError) -> str:
    """What a store said, in one line, without the story of the request."""
    said = " ".join(str(error).split())
    said = re.sub(r"^(When .*?: )?AWS Error ", "", said)
    said = re.sub(r" \(Request ID: [^)]*\)|; Details: .*", "", said)
    return brief(said.replace(" during ", " in ").replace(" operation: ", ": "), 200)
