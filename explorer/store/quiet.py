"""MLflow as a library: no talk, no telemetry, no retries of its own."""

from __future__ import annotations

import logging
import os

__all__ = ["quiet_mlflow"]

_SETTINGS = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
}
_QUIET = {"mlflow": "ERROR", "mlflow.store.db.utils": "CRITICAL", "alembic": "ERROR", "urllib3": "ERROR"}


def quiet_mlflow() -> None:
    """Settle how MLflow behaves in this process, before it is used; settings found in the environment win."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    import mlflow  # noqa: F401  (which sets levels of its own)

    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(level)
