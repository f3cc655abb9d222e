"""Settings stand in the page's address, and are no places to go back to: the browser's Back leads to another page.

Streamlit makes an entry of the browser's history of every change of the address, and a visit keeps its own settings
whatever the reader goes back to: Back would do nothing as often as something was set.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["plain_history"]

SCRIPT = """
export default function () {
  if (history.isPlain) return;
  const push = history.pushState.bind(history);
  history.pushState = (state, title, address) => {
    const same = new URL(address ?? '', location.href).pathname === location.pathname;
    if (same) history.replaceState(state, title, address);
    else push(state, title, address);
  };
  history.isPlain = true;
}
"""


def plain_history() -> None:
    """Let a change of the address that stays on its page take the place of the entry before."""
    _component()(key="plain history", height=0)


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("tradeoff_history", js=SCRIPT)
