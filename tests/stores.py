"""Stores for tests that are not about making one: MLflow's sixty migrations take longer than most tests."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from explorer.store.connection import Connection

__all__ = ["empty_store"]


@cache
def _template() -> Path:
    file = Path(mkdtemp()) / "mlflow.db"
    Connection(f"sqlite:///{file}").client.search_experiments()
    return file


def empty_store(folder: Path) -> str:
    """Address of ``folder/mlflow.db``, which has MLflow's tables and nothing in them."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_template(), folder / "mlflow.db")
    return f"sqlite:///{folder / 'mlflow.db'}"
