"""Pages without a front."""

from __future__ import annotations

import streamlit as st

from explorer.html import tag
from explorer.store.addresses import shown_address

__all__ = ["empty_page", "nothing_to_show"]


def empty_page(uri: str) -> None:
    """A store without sweeps: how to get one."""
    st.html(
        tag(
            "div",
            tag("h1", "No sweeps yet", class_="tx-title"),
            tag(
                "p",
                "The store ",
                tag("code", shown_address(uri)),
                " holds no sweep. Run the demo, which takes a few minutes:",
            ),
            tag("pre", "make demo"),
            tag("p", "or any other preset or sweep file:"),
            tag("pre", "tradeoff presets\ntradeoff sweep demo"),
            tag(
                "p", "Its trials appear here while it runs. Reload this page to look again.", class_="tx-lead"
            ),
            class_="tx-empty",
        )
    )


def nothing_to_show(sentence: str) -> None:
    """A sentence in place of the front."""
    st.html(tag("p", sentence, class_="tx-hint"))
