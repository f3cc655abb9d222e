"""Commands to copy: they act on the store and the experiment that the page shows, wherever they are run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from explorer.folders import default_database
from explorer.store.addresses import shown_address, sqlite_address, sqlite_file

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["store_option", "sweep_options"]


def store_option(uri: str) -> str:
    """``--tracking-uri …``, empty of the default store; an address with a password is not spelled out."""
    file = sqlite_file(uri)
    if file is not None and file == default_database():
        return ""
    told = sqlite_address(uri) if file is not None else shown_address(uri)
    return f" --tracking-uri {shlex.quote(told)}"


def sweep_options(scene: Scene) -> str:
    """The store, and the experiment where the sweep's name alone does not say which is meant."""
    is_one = scene.label == scene.info.name
    return store_option(scene.uri) + ("" if is_one else f" --experiment {shlex.quote(scene.info.experiment)}")
