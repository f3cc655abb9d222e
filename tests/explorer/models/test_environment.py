"""What a model asks to be installed: versions that an index has, and no more than it needs."""

from __future__ import annotations

from importlib.metadata import version

import pytest
import yaml

import explorer.models.environment as environment
from explorer.models.environment import distributions, environment_files, look_around, mlflow_version


def test_versions_are_those_that_are_here() -> None:
    files = environment_files(frozenset({"torch", "json", "yaml", "nobody_has_this"}))
    lines = files["requirements.txt"].decode().split()
    assert f"mlflow=={version('mlflow')}" in lines
    assert f"torch=={version('torch').partition('+')[0]}" in lines
    assert [line.partition("==")[0] for line in lines] == ["mlflow", "numpy", "pandas", "PyYAML", "torch"]
    assert mlflow_version() == version("mlflow")


def test_what_cannot_be_looked_at_beforehand_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> dict[str, list[str]]:
        raise OSError("a folder of packages that nobody may read")

    monkeypatch.setattr(environment, "packages_distributions", broken)
    distributions.cache_clear()
    mlflow_version.cache_clear()
    look_around()
    monkeypatch.undo()
    look_around()
    assert mlflow_version() == version("mlflow")


def test_environments_are_yaml_that_name_them() -> None:
    files = environment_files(frozenset())
    conda, python = (yaml.safe_load(files[name]) for name in ("conda.yaml", "python_env.yaml"))
    assert conda["dependencies"][-1]["pip"] == files["requirements.txt"].decode().split()
    assert python["dependencies"] == ["-r requirements.txt"]
    assert conda["dependencies"][0] == f"python={python['python']}"
