"""The options by which a command finds a store again, wherever it is run."""

from __future__ import annotations

import shlex

from explorer.folders import default_database
from explorer.store.addresses import shown_address, sqlite_address, sqlite_file

__all__ = ["store_option"]


def store_option(uri: str) -> str:
    """``--tracking-uri …``, empty of the default store; an address with a password is not spelled out."""
    file = sqlite_file(uri)
    if file is not None and file == default_database():
        return ""
    told = sqlite_address(uri) if file is not None else shown_address(uri)
    return f" --tracking-uri {shlex.quote(told)}"
