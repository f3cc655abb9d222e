"""The sweep that tests take elsewhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from explorer.results.store import ResultStore
from explorer.transfer import export_sweep
from tests.explorer.transfer.made import shared_store


@pytest.fixture(scope="session")
def uri() -> str:
    """A store with the sweep ``ring``, which nobody writes to."""
    return shared_store()


@pytest.fixture(scope="session")
def made(uri: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its archive."""
    return export_sweep(ResultStore(uri), "ring", tmp_path_factory.mktemp("archive") / "ring.zip").file


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copy(made, tmp_path / "ring.zip"))
