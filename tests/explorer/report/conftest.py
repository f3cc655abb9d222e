"""The store that the product's writer wrote, and its sweep ``made``."""

from __future__ import annotations

import pytest

from explorer.results.table import TrialTable
from tests.app.conftest import store_uri
from tests.app.made_sweep import read_table

__all__ = ["store_uri", "table"]


@pytest.fixture(scope="session")
def table(store_uri: str) -> TrialTable:
    """The finished trials of ``made``."""
    return read_table(store_uri).finished()
