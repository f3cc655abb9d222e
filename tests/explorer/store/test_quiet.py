"""MLflow is heard only when something is wrong, and settings of the environment win over ours."""

from __future__ import annotations

import logging
import os

import pytest

from explorer.store.quiet import quiet_mlflow


def test_mlflow_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "7")
    quiet_mlflow()
    assert logging.getLogger("mlflow").level >= logging.ERROR
    assert logging.getLogger("alembic").level >= logging.ERROR
    assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "7"
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"
