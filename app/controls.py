"""Widgets that show a value and change the reader's wishes when they are touched, and at no other time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from app.wishes import wish

__all__ = ["control"]


def control(sweep: str, name: str, value: Any, take: Callable[[Any], None] | None = None) -> dict[str, Any]:
    """Key and callback of a widget showing ``value``; touched, it hands its own to ``take``, else to the wish ``name``.

    The state is written where it differs only, so that a field in which the reader is typing is left alone.
    """
    key = f"{sweep}|{name}"
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    def changed() -> None:
        chosen = st.session_state[key]
        if take is None:
            wish(sweep, **{name: chosen})
        else:
            take(chosen)

    return {"key": key, "on_change": changed}
