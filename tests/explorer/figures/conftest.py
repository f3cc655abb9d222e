"""Tables as their reader has them, from the store that the product's writer wrote."""

from __future__ import annotations

import pytest

from explorer.results.table import TrialTable
from tests.app.conftest import store_uri
from tests.app.made_sweep import NEWER, TWO_METHODS, read_table

__all__ = ["newer", "store_uri", "table", "two_methods", "whole"]


@pytest.fixture(scope="session")
def whole(store_uri: str) -> TrialTable:
    """The sweep ``made``, its failed trial included."""
    return read_table(store_uri)


@pytest.fixture(scope="session")
def table(whole: TrialTable) -> TrialTable:
    """Its finished trials."""
    return whole.finished()


@pytest.fixture(scope="session")
def two_methods(store_uri: str) -> TrialTable:
    """A sweep read through two refinements."""
    return read_table(store_uri, TWO_METHODS)


@pytest.fixture(scope="session")
def newer(store_uri: str) -> TrialTable:
    """A sweep with a metric that the code has never heard of."""
    return read_table(store_uri, NEWER)
