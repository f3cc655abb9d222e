"""What a run says of itself and of its store, spelled so that it holds in any store: links, pictures and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from explorer.store.addresses import shown_address, sqlite_file
from explorer.store.schema import THIS_RUN

__all__ = ["THIS_STORE", "packed_tags", "store_setting", "unpacked_tags"]

THIS_STORE = "{this-store}"
"""In a tag that travels: what a shell sets so that MLflow's commands find the store."""
_ID = re.compile(r"[0-9a-f]{32}")
_SETTING = r"""(?:MLFLOW_TRACKING_URI=(?:'[^'\n]*'|"[^"\n]*"|[^\s'"])+ )?"""
_FETCH = re.compile(_SETTING + "(mlflow artifacts download )")


def store_setting(uri: str) -> str:
    """What stands before a command of MLflow that asks the store; nothing for a server, which its reader has set."""
    if sqlite_file(uri) is None:
        return ""
    return f"MLFLOW_TRACKING_URI={shlex.quote(shown_address(uri))} "


def packed_tags(tags: Mapping[str, str], run_id: str) -> dict[str, str]:
    """Tags as they travel: nothing in them names the run, or the store of its commands."""
    own = run_id if _ID.fullmatch(run_id) else THIS_RUN
    return {key: _FETCH.sub(THIS_STORE + r"\1", value).replace(own, THIS_RUN) for key, value in tags.items()}


def unpacked_tags(tags: Mapping[str, str], run_id: str, uri: str) -> dict[str, str]:
    """The tags of a run of that store."""
    setting = store_setting(uri)
    return {key: value.replace(THIS_RUN, run_id).replace(THIS_STORE, setting) for key, value in tags.items()}
