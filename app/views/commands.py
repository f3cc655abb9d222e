"""Commands to copy: they act on the store and the experiment that the page shows, wherever they are run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from explorer.store.options import store_option

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["sweep_options"]


def sweep_options(scene: Scene) -> str:
    """The store, and the experiment where the sweep's name alone does not say which is meant."""
    is_one = scene.label == scene.info.name
    return store_option(scene.uri) + ("" if is_one else f" --experiment {shlex.quote(scene.info.experiment)}")
