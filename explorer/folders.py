"""Where the product keeps its data: one folder for all sweeps."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError

__all__ = ["data_folder", "default_tracking_uri"]


def data_folder() -> Path:
    """The folder that holds tracking store, artifacts, checkpoints and studies.

    ``$TRADEOFF_HOME`` if set, else ``~/.tradeoff``. Created on first use.
    """
    folder = Path(os.environ.get("TRADEOFF_HOME") or Path.home() / ".tradeoff").expanduser().resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"the data folder '{folder}' cannot be made ({error}); set TRADEOFF_HOME to another"
        ) from error
    return folder


def default_tracking_uri() -> str:
    """``$MLFLOW_TRACKING_URI`` if set, else SQLite in the data folder."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{data_folder() / 'mlflow.db'}"
