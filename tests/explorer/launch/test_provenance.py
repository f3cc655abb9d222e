"""Where runs come from: the commit of the checkout that has the code or the sweep file, and the machine."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from explorer.launch import provenance as module
from explorer.launch.provenance import origin, provenance
from explorer.store.schema import TAG_LIMIT
from tests.explorer.launch.small import small_sweep
from tests.trainables.datasets.made_sets import make_folder
from trainables.datasets.folder import Folder
from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.rings import Rings

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one sweep file; the package is in none."""
    place = tmp_path / "mine"
    place.mkdir()
    (place / "ring.yaml").write_text("seeds: 1\n")
    for command in (["init", "-q"], ["add", "ring.yaml"], ["commit", "-q", "-m", "One"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(place), *who, *command], check=True)
    monkeypatch.setattr(module, "_PACKAGE", tmp_path)
    module._commit.cache_clear()
    return place


@needs_git
def test_the_commit_is_that_of_the_sweep_file_where_the_package_has_none(checkout: Path) -> None:
    sweep = replace(small_sweep(checkout), file=str(checkout / "ring.yaml"))
    found = provenance(sweep)
    head = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, check=True)
    assert found["mlflow.source.git.commit"] == head.stdout.decode().strip()
    assert found["tradeoff.dirty"] == "false"
    assert found["mlflow.source.name"] == str(checkout / "ring.yaml")
    (checkout / "ring.yaml").write_text("seeds: 2\n")
    module._commit.cache_clear()
    assert provenance(sweep)["tradeoff.dirty"] == "true"


@needs_git
def test_a_file_that_lies_in_a_checkout_but_is_not_in_its_care_has_no_commit(checkout: Path) -> None:
    (checkout / "other.yaml").write_text("seeds: 1\n")
    found = provenance(replace(small_sweep(checkout), file=str(checkout / "other.yaml")))
    assert not {"mlflow.source.git.commit", "tradeoff.dirty"} & set(found)


def test_without_git_the_rest_is_told(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    found = provenance(replace(small_sweep(checkout), file=str(checkout / "ring.yaml")))
    assert "mlflow.source.git.commit" not in found
    assert found["tradeoff.python"] == platform.python_version()
    assert found["tradeoff.driver"] == socket.gethostname()
    assert found["mlflow.user"]
    assert found["tradeoff.torch"] == torch.__version__.split("+")[0] or found["tradeoff.torch"]
    assert all(value and len(value) <= TAG_LIMIT for value in found.values())


def test_a_sweep_from_python_is_told_by_its_name(tmp_path: Path) -> None:
    assert provenance(small_sweep(tmp_path))["mlflow.source.name"] == "small"


def test_a_user_without_a_name_is_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(module.getpass, "getuser", nobody)
    assert provenance(small_sweep(tmp_path))["mlflow.user"] == str(os.getuid())


def test_made_data_are_told_by_their_fields() -> None:
    one, other = origin(Gaussians8(), None, "cpu"), origin(Rings(), None, "cpu")
    assert one.digest != other.digest
    assert one == origin(Gaussians8(), None, "cpu")
    assert (one.name, one.source) == ("gaussians8", '{"tags": {"name": "gaussians8"}}')
    assert one.tags["tradeoff.host"] == socket.gethostname()
    assert one.tags["tradeoff.cuda"] == "none"
    assert one.tags["tradeoff.torch"] == torch.__version__


def test_files_are_told_by_what_is_in_them_wherever_they_lie(tmp_path: Path) -> None:
    first = make_folder(tmp_path / "a", ("cats", "dogs"), each=6)
    second = Path(shutil.copytree(first, tmp_path / "b"))
    here, there = Folder(root=str(first), size=8), Folder(root=str(second), size=8)
    digest = origin(here, here.source().digest(), "cpu").digest
    assert digest == origin(there, there.source().digest(), "cpu").digest
    next(second.rglob("*.png")).unlink()
    assert digest != origin(there, there.source().digest(), "cpu").digest
