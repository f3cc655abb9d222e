"""Widgets that show a value and change the reader's wishes when they are touched, and at no other time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from app.wishes import wish

__all__ = ["begin_at", "control"]


def control(sweep: str, name: str, value: Any, take: Callable[[Any], None] | None = None) -> dict[str, Any]:
    """Key and callback of a widget showing ``value``; touched, it hands its own to ``take``, else to the wish ``name``.

    The widget must begin with that value. One that is there and shows another gives way to a new one: were it told the
    value instead, the browser might still speak of the old one, as if the reader had gone back to it. Of a widget that
    has given way it may speak once more, as long as it has not taken it away; nobody listens then.
    """
    place = f"{sweep}|{name}"
    key = _key(place, value)

    def changed() -> None:
        if key != _current(place):
            return
        chosen = st.session_state[key]
        if take is None:
            wish(sweep, **{name: chosen})
        else:
            take(chosen)

    return {"key": key, "on_change": changed}


def begin_at(options: Sequence[Any], value: Any) -> int:
    """The index with which a selectbox begins at ``value``."""
    return options.index(value) if value in options else 0


def _key(place: str, value: Any) -> str:
    """That of the widget which is there, or of its successor, if it shows another value."""
    key = _current(place)
    if key in st.session_state and not _same(st.session_state[key], value):
        st.session_state[_count(place)] += 1
    return _current(place)


def _current(place: str) -> str:
    number = st.session_state.setdefault(_count(place), 0)
    return f"{place}#{number}" if number else place


def _count(place: str) -> str:
    return f"{place}|widgets"


def _same(shown: Any, value: Any) -> bool:
    """Several choices are the same in any order."""
    return set(shown) == set(value) if isinstance(shown, list) else bool(shown == value)
