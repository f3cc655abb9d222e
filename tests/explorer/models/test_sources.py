"""Modules that a model needs are found without importing them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from explorer.models.sources import is_distributed, sources_of

LOADER = "explorer.models.served"
MEMBERS = frozenset({"trainables.models.mlp_gan", "trainables.objectives.pr", "trainables.constraints.none"})


def test_what_loading_needs_goes_along_and_nothing_else_of_ours() -> None:
    found = sources_of(MEMBERS, LOADER)
    assert MEMBERS | {LOADER, "trainables.samplers.sampler", "trainables.training.stack"} <= set(
        found.modules
    )
    parts = {name.split(".")[1] for name in found.modules if name.startswith("trainables.")}
    assert not parts & {"sources", "datasets", "evaluation", "metrics", "studies", "precision_recall"}
    assert {"torch", "numpy", "mlflow"} <= found.installed
    assert not found.installed & {"ray", "optuna", "streamlit", "sklearn", "trainables", "explorer"}


def test_packages_around_ours_are_empty_unless_named() -> None:
    found = sources_of(MEMBERS, LOADER).modules
    assert found["trainables.rejection"].text == ""
    assert all(name.rpartition(".")[0] in found for name in found if "." in name and name != LOADER)
    named = sources_of(MEMBERS | {"trainables.rejection"}, LOADER).modules
    assert "known_laws" in named["trainables.rejection"].text


def test_a_users_package_goes_along_whole_as_far_as_it_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "brought"
    package.mkdir()
    (package / "__init__.py").write_text("from .parts import one\n")
    (package / "parts.py").write_text("import json\nimport yaml\none = 1\n")
    (package / "unused.py").write_text("")
    (package / "kept.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from brought import unused\n"
        "def late():\n    from trainables.models.layers import perceptron\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = sources_of(frozenset({"brought.kept"}), LOADER)
    assert {"brought", "brought.parts", "brought.kept"} <= set(found.modules)
    assert "brought.unused" not in found.modules
    assert "trainables.models.layers.perceptron" in found.modules
    assert found.modules["brought"].text.startswith("from .parts")
    assert "yaml" in found.installed
    assert "brought" not in sys.modules


def test_what_lies_beside_a_users_member_goes_along_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "beside.py").write_text("width = 8\n")
    (tmp_path / "spread").mkdir()  # a package without __init__.py
    (tmp_path / "spread" / "part.py").write_text("")
    (tmp_path / "brings.py").write_text(
        "import spread.part\nfrom beside import width\nfrom explorer.search import Search\nimport absent\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = sources_of(frozenset({"brings"}), LOADER)
    assert found.modules["beside"].text == "width = 8\n"
    assert found.modules["spread"].is_package
    assert {"spread.part", "explorer.search.search"} <= set(found.modules)
    assert not found.installed & {"beside", "spread", "absent", "explorer", "ray", "optuna"}


def test_what_pip_knows_is_installed_and_ours_never() -> None:
    assert is_distributed("numpy.linalg")
    assert not is_distributed("trainables.models")
    assert not is_distributed("nobody_has_this")
