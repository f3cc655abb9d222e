"""The store whose trials are refined."""

from __future__ import annotations

import pytest

from tests.explorer.refining.stored_trials import stored

__all__ = ["refinable"]


@pytest.fixture(scope="session")
def refinable() -> str:
    """Address of a store with finished trials of many kinds; see ``stored_trials``."""
    return stored()
