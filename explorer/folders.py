"""Where the product keeps its data: one folder for all sweeps."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError, brief, root_cause, shown

__all__ = ["data_folder", "default_database", "default_tracking_uri"]


def data_folder() -> Path:
    """The folder that holds tracking store, artifacts, checkpoints and studies.

    ``$TRADEOFF_HOME`` if set, else ``~/.tradeoff``. Created on first use.
    """
    folder = _named_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the data folder '{brief(str(folder), 150)}' cannot be made ({root_cause(error)}); set TRADEOFF_HOME to "
            "another"
        ) from error
    return folder


def default_database() -> Path:
    """The file of the store in the data folder; neither need be there."""
    return _named_folder() / "mlflow.db"


def default_tracking_uri() -> str:
    """``$MLFLOW_TRACKING_URI`` if set, else SQLite in the data folder."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{data_folder() / 'mlflow.db'}"


def _named_folder() -> Path:
    named = os.environ.get("TRADEOFF_HOME")
    try:
        return Path(named or Path.home() / ".tradeoff").expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, an unknown user, a null byte
        raise UserError(
            f"TRADEOFF_HOME must name a folder, got {shown(named)} ({root_cause(error)})"
        ) from error
