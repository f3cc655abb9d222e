"""Whether a pass is to be as exact as its precision allows, whatever that costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["exactly", "wanted_exactly"]

_wanted: ContextVar[bool] = ContextVar("wanted exactly", default=False)


@contextmanager
def exactly() -> Iterator[None]:
    """Parts that estimate or iterate to a tolerance do neither meanwhile, where they can do without."""
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)


def wanted_exactly() -> bool:
    """Whether the pass is within ``exactly``."""
    return _wanted.get()
