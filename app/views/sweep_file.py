"""The sweep file as the store holds it."""

from __future__ import annotations

import streamlit as st

from app.scene import Scene
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.reach import PROMPT_S

__all__ = ["document", "sweep_file_view"]

MOST_SHOWN = 60_000
"""Characters that are shown; the download has all."""


@st.cache_data(ttl=30, max_entries=16, show_spinner=False)
def document(uri: str, name: str, experiment_id: str) -> str | None:
    """The sweep file as resolved at its last launch; None where there is none that can be read."""
    try:
        return ResultStore(uri, patience=PROMPT_S).document(name, experiment_id)
    except UserError:
        return None


def sweep_file_view(scene: Scene) -> None:
    """The file, folded; nothing where the store has none."""
    text = document(scene.uri, scene.info.name, scene.info.experiment_id)
    if not text:
        return
    with st.expander("The sweep file, as resolved at its last launch"):
        st.code(text[:MOST_SHOWN], language="yaml")
        st.download_button(
            "Download",
            text,
            "sweep.yaml",
            "application/yaml",
            key=f"{scene.label}|sweep file",
            on_click="ignore",
        )
