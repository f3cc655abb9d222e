"""Stores for tests that are not about making one: MLflow's sixty migrations take longer than most tests."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from filelock import FileLock

from explorer.store.connection import Connection

__all__ = ["empty_store"]


@cache
def _template() -> Path:
    """Made once for all processes that run tests together."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    folder = Path(gettempdir()) / f"template-{run}" if run else Path(mkdtemp())
    folder.mkdir(exist_ok=True)
    file = folder / "mlflow.db"
    with FileLock(folder / "lock"):
        if not file.exists():
            Connection(f"sqlite:///{file}").client.search_experiments()
    return file


def empty_store(folder: Path) -> str:
    """Address of ``folder/mlflow.db``, which has MLflow's tables and nothing in them."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(_template(), folder / "mlflow.db")
    return f"sqlite:///{folder / 'mlflow.db'}"
