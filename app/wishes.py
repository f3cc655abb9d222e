"""What the reader has set in this visit, sweep by sweep; all else on the page follows the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app.filters import Filter
from app.view import View

__all__ = ["clear_filters", "put", "wish", "wish_filter", "wished"]

KEY = "wishes"


def put(view: View) -> None:
    """Put a view in the place of all wishes for its sweep."""
    _all()[view.sweep or ""] = view


def wished(sweep: str) -> View:
    """The wishes for a sweep."""
    return _all().get(sweep, View(sweep=sweep))


def wish(sweep: str, **changes: Any) -> None:
    """Change some of them."""
    _all()[sweep] = replace(wished(sweep), **changes)


def wish_filter(sweep: str, kind: type[Filter], name: str, chosen: Filter | None) -> None:
    """Put a filter in the place of the one of its kind and name, or take that away."""
    others = [f for f in wished(sweep).filters if not (isinstance(f, kind) and f.name == name)]
    wish(sweep, filters=(*others, *([chosen] if chosen is not None else [])))


def clear_filters(sweep: str) -> None:
    """Take all filters away, that of the status too."""
    wish(sweep, filters=(), statuses=View().statuses)


def _all() -> dict[str, View]:
    found: dict[str, View] = st.session_state.setdefault(KEY, {})
    return found
