"""From what a sweep says to the files behind it."""

from __future__ import annotations

import os
from urllib.parse import urlencode

from explorer.storage.addresses import local_folder, shown_storage
from trainables.training.local_files import LocalFiles
from trainables.training.state_files import StateFiles

__all__ = ["open_files"]


def open_files(storage: str) -> StateFiles:
    """The files in a folder or at an address; OSError if there is no such kind of store, or its address is wrong.

    Nothing is made and, but for the region of a bucket at Amazon that nobody named, nothing is asked.
    """
    folder = local_folder(storage)
    if folder is not None:
        return LocalFiles(folder)
    from pyarrow.fs import FileSystem  # a tenth of a second, which folders do without

    from explorer.storage.arrow_files import ArrowFiles, patiently

    shown = shown_storage(storage)
    try:
        found, root = patiently(shown, lambda: FileSystem.from_uri(_with_defaults(storage)))
    except (ValueError, NotImplementedError) as error:  # an option that the store does not have
        raise OSError(f"{shown} is no address of a store: {error}") from error
    return ArrowFiles(found, root, shown)


def _with_defaults(storage: str) -> str:
    """An address of S3 with a region where the environment has one, and one request a file instead of three."""
    if not storage.startswith("s3://"):
        return storage
    place, _, options = storage.partition("?")
    more = {"allow_delayed_open": "true"}
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region:
        more["region"] = region
    given = {part.partition("=")[0] for part in options.split("&")}
    added = urlencode({name: value for name, value in more.items() if name not in given})
    return f"{place}?{'&'.join(part for part in (options, added) if part)}"
