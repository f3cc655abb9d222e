"""Results as a notebook has them, from the store that the product's writer wrote."""

from __future__ import annotations

import pytest

import explorer.api as te
from tests.app.conftest import store_uri
from tests.app.made_sweep import MADE, TWO_METHODS

__all__ = ["found", "store_uri", "two_methods"]


@pytest.fixture(scope="session")
def found(store_uri: str) -> te.Results:
    """The sweep ``made``: three seeds, one trial failed."""
    return te.results(MADE, store_uri)


@pytest.fixture(scope="session")
def two_methods(store_uri: str) -> te.Results:
    """A sweep read through two refinements."""
    return te.results(TWO_METHODS, store_uri)
