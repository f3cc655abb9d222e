"""What the reader has set in this visit, place by place and sweep by sweep; all else on the page follows the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from app.filters import Filter
from app.places import chosen_place
from app.view import MOST_PINS, View

__all__ = ["clear_filters", "pin", "pins", "put", "wish", "wish_filter", "wished"]

KEY = "wishes"
PINS = "pins"


def put(view: View) -> None:
    """Put a view in the place of all wishes for its sweep."""
    _all()[view.sweep or ""] = view
    if view.pins:
        st.session_state[PINS] = view.pins


def wished(sweep: str) -> View:
    """The wishes for a sweep; whom the reader pinned to compare is the same whatever sweep is shown."""
    return replace(_all().get(sweep, View(sweep=sweep)), pins=pins())


def wish(sweep: str, **changes: Any) -> None:
    """Change some of them."""
    if "pins" in changes:
        st.session_state[PINS] = tuple(changes.pop("pins"))
    _all()[sweep] = replace(wished(sweep), **changes)


def wish_filter(sweep: str, kind: type[Filter], name: str, chosen: Filter | None) -> None:
    """Put a filter in the place of the one of its kind and name, or take that away."""
    others = [f for f in wished(sweep).filters if not (isinstance(f, kind) and f.name == name)]
    wish(sweep, filters=(*others, *([chosen] if chosen is not None else [])))


def clear_filters(sweep: str) -> None:
    """Take all filters away, that of the status and the brush too."""
    wish(sweep, filters=(), statuses=View().statuses, brush=None)


def pins() -> tuple[str, ...]:
    """The trials to compare, ``label/identity``, in the order in which they were pinned."""
    found: tuple[str, ...] = st.session_state.get(PINS, ())
    return found


def pin(trial: str) -> None:
    """Pin a trial, ``label/identity``, or take its pin away; beyond ``MOST_PINS`` nothing is pinned."""
    before = pins()
    if trial in before:
        st.session_state[PINS] = tuple(one for one in before if one != trial)
    elif len(before) < MOST_PINS:
        st.session_state[PINS] = (*before, trial)


def _all() -> dict[str, View]:
    """Views by sweep, of the place that is read."""
    places: dict[str, dict[str, View]] = st.session_state.setdefault(KEY, {})
    return places.setdefault(chosen_place(), {})
