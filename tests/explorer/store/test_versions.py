"""Tables of another MLflow are told, with what to do about them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from explorer.store import versions
from explorer.store.versions import _expected, _versions, installed_mlflow, schema_fault


def test_the_part_of_mlflow_that_tells_runs_is_mlflow_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed_mlflow() == version("mlflow")

    def told(name: str) -> str:
        if name == "mlflow":
            raise PackageNotFoundError(name)
        return f"of {name}"

    monkeypatch.setattr(versions, "version", told)
    installed_mlflow.cache_clear()
    assert installed_mlflow() == "of mlflow-skinny"
    installed_mlflow.cache_clear()


def test_the_tables_of_this_mlflow_are_in_order() -> None:
    assert schema_fault([_versions()[0]], _expected()) is None
    assert {"runs", "experiments", "metrics", "tags", "params"} <= _expected()


def test_other_tables_are_told() -> None:
    newest, before, *_ = _versions()
    assert "does not say which tables of MLflow it has" in str(schema_fault([], _expected()))
    assert "and says 2; restore it from a copy" in str(schema_fault([newest, before], _expected()))
    assert "by an older MLflow; copy the file" in str(schema_fault([before], _expected()))
    assert "by a newer MLflow (its tables are 00ff)" in str(schema_fault(["00ff"], _expected()))
    assert "lacks 1 of MLflow's tables (metrics, …)" in str(schema_fault([newest], _expected() - {"metrics"}))
