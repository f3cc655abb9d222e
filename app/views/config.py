"""What was trained: the varied fields first, the rest folded, as YAML to copy, and the command that repeats it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import streamlit as st

from app.views.pieces import hint, show
from app.views.sweep_file import document as sweep_document
from explorer.html import Markup, tag
from explorer.results.fields import sentence
from explorer.results.naming import plain
from explorer.results.repeat import base_params, can_repeat, config_yaml, repeat_name, repeat_yaml
from explorer.results.table import Trial, TrialTable

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["config_view", "field_list", "repeat_view"]


def config_view(scene: Scene, trial: Trial) -> None:
    """The fields that tell trials of this sweep apart, a fold with the others, a fold with all as YAML."""
    table = scene.columns.table
    varied = [path for path in scene.columns.varying if path in trial.params]
    rest = [path for path in sorted(trial.params) if path not in varied]
    show(tag("p", "Config", class_="tx-head"))
    if varied:
        show(field_list(table, trial, varied))
    else:
        hint("Nothing varies in this sweep so far.")
    if rest:
        with st.expander(f"{len(rest)} fields that all trials share" if varied else f"{len(rest)} fields"):
            st.html(field_list(table, trial, rest))
    with st.expander("As YAML"):
        st.code(config_yaml(trial), language="yaml")


def field_list(table: TrialTable, trial: Trial, paths: list[str]) -> Markup:
    """Fields and their values, each explained on hover."""
    pairs = [
        (
            tag("dt", table.title(path), title=sentence(path, table.catalogue, _member(trial, path)) or path),
            tag("dd", plain(trial.params[path])),
        )
        for path in paths
    ]
    return tag("dl", *(part for pair in pairs for part in pair), class_="tx-dl")


def repeat_view(scene: Scene, trial: Trial) -> None:
    """A sweep file of this one trial, and the command that runs it."""
    if not can_repeat(trial):
        return
    document = sweep_document(scene.uri, scene.info.name, scene.info.experiment_id)
    text = repeat_yaml(trial, scene.info.name, document, base_params(scene.columns.table, trial))
    file = f"{repeat_name(trial)}.yaml"
    with st.expander("Repeat this trial"):
        st.html(
            tag("p", "Save this file, then run the command beside it; it trains the same trial once more.")
        )
        st.code(f"tradeoff sweep {shlex.quote(file)}", language="bash")
        st.download_button(
            f"Save {file}", text, file, "application/yaml", icon=":material/download:", on_click="ignore"
        )
        st.code(text, language="yaml")
        notes = []
        if document is None:
            notes.append(
                "The file of its sweep cannot be read: how the trial is evaluated is left to the defaults."
            )
        elif "plugins:\n" in text:
            notes.append(
                "Its modules are looked for beside the file: save it where the sweep's own file lies."
            )
        if "start.from" in trial.params:
            notes.append("It begins at the stored end of its base, which must be where checkpoints are kept.")
        if notes:
            st.html(tag("p", " ".join(notes), class_="tx-hint"))


def _member(trial: Trial, path: str) -> str | None:
    """The member whose field a path is, where the trial names it."""
    section, _, leaf = path.rpartition(".")
    name = trial.params.get(f"{section}.name")
    return name if isinstance(name, str) and leaf != "name" else None
