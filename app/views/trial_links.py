"""From a trial to its run in MLflow, to the trials it is compared with, and, where writing is allowed, promotion."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import streamlit as st

from app.style import markdown_safe
from app.views.commands import sweep_options
from explorer.errors import UserError
from explorer.html import Markup, tag
from explorer.promotion import CHAMPION, Promotion, demote, promote, promotion_of
from explorer.results.table import Trial
from explorer.sources import open_source
from explorer.store.options import store_option
from explorer.store.reach import PROMPT_S

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["may_write", "mlflow_view", "promoted", "promotion_button", "promotion_hint", "run_address"]

PORT = 5000
"""Where ``tradeoff mlflow`` serves."""
SAID = "promotion"
"""Where what went wrong is kept until it is told."""


def may_write() -> bool:
    """Whether this page may change the store: ``tradeoff app --write`` says so."""
    return os.environ.get("TRADEOFF_WRITE") == "1"


def run_address(uri: str, experiment_id: str, run_id: str) -> str | None:
    """Where MLflow's own page of a run is, without user and password; None for a store that is no server."""
    if not uri.startswith(("http://", "https://")):
        return None
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    where = f"#/experiments/{quote(experiment_id, safe='')}/runs/{quote(run_id, safe='')}"
    return f"{parts.scheme}://{host}{parts.path.rstrip('/')}/{where}"


def mlflow_view(scene: Scene, trial: Trial) -> None:
    """A link to the run on a server; of a file, the command that serves it and the link that then works."""
    uri = _store_of(scene.uri)
    if uri is None:
        return
    with st.expander("In MLflow"):
        address = run_address(uri, scene.info.experiment_id, trial.run_id)
        if address is not None:
            st.html(_link(address, "Open its run in MLflow"))
            return
        served = run_address(f"http://127.0.0.1:{PORT}", scene.info.experiment_id, trial.run_id)
        st.html(tag("p", "MLflow's own pages read this store with"))
        st.code(f"tradeoff mlflow{store_option(uri)}", language="bash")
        st.html(tag("p", "and then show it at ", _link(str(served), "its run"), "."))


def promoted(uri: str, trial: Trial) -> Promotion | None:
    """The mark of a trial, None where it has none or the source knows none."""
    store = _store_of(uri)
    return None if store is None else _promotion(store, trial.run_id)


def promotion_button(scene: Scene, trial: Trial, mark: Promotion | None) -> None:
    """Promotes a finished trial, or undoes that; only where writing is allowed."""
    uri = _store_of(scene.uri)
    if not may_write() or uri is None or trial.status != "finished":
        return
    words, icon = ("Undo promotion", ":material/undo:") if mark else ("Promote", ":material/star:")
    st.button(
        words,
        icon=icon,
        key=f"{scene.label}|promote",
        on_click=_change,
        args=(uri, trial.run_id, mark is not None),
        help=f"Its run in the store gets the tag tradeoff.promoted, as {CHAMPION}.",
    )
    if SAID in st.session_state:
        st.error(markdown_safe(st.session_state.pop(SAID), 600))


def promotion_hint(scene: Scene, trial: Trial, mark: Promotion | None) -> None:
    """Where writing is not allowed, the command that promotes."""
    if (
        may_write()
        or _store_of(scene.uri) is None
        or trial.status != "finished"
        or scene.info.kind != "sweep"
    ):
        return
    with st.expander("Undo promotion" if mark else "Promote"):
        st.html(
            tag("p", "This page only reads. ", tag("code", "tradeoff app --write"), " promotes here, or run")
        )
        sweep, identity = shlex.quote(scene.info.name), shlex.quote(trial.id)
        undo = " --undo" if mark else ""
        st.code(f"tradeoff promote {sweep} {identity}{undo}{sweep_options(scene)}", language="bash")


def _change(uri: str, run_id: str, undo: bool) -> None:
    if not may_write():
        return
    try:
        if undo:
            demote(uri, run_id)
        else:
            promote(uri, run_id)
    except UserError as error:
        st.session_state[SAID] = str(error)
    _promotion.clear()


@st.cache_data(ttl=30, max_entries=256, show_spinner=False)
def _promotion(uri: str, run_id: str) -> Promotion | None:
    try:
        return promotion_of(uri, run_id, PROMPT_S)
    except UserError:
        return None


@st.cache_data(ttl=300, max_entries=32, show_spinner=False)
def _store_of(uri: str) -> str | None:
    """The address of the MLflow store that is read; None where trials come from a file of another kind."""
    try:
        source = open_source(uri)
    except UserError:
        return None
    return source.address if source.kind == "mlflow" else None


def _link(address: str, words: str) -> Markup:
    return tag("a", words, href=address, target="_blank", rel="noopener noreferrer")
