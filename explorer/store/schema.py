"""The names under which MLflow holds a sweep: tags, metric keys and the encoding of parameters.

Writer (``explorer.tracking``) and reader (``explorer.results``) both follow this file.
The table in ``docs/architecture.md`` is its prose.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from explorer.store.foreign import clean, load_json

__all__ = [
    "ALPHAS",
    "ARRAYS_FILE",
    "CATALOGUE_FILE",
    "COMMAND",
    "CURVES_FILE",
    "CURVE_FILE",
    "DATA",
    "DELETED",
    "DESCRIPTION",
    "DIVERGED",
    "FILES",
    "FRONT_FILE",
    "IMPORTED",
    "KIND",
    "LAYOUT",
    "LAYOUT_NOW",
    "LEASE",
    "LOGGED_MODELS",
    "MEASURED",
    "MODEL_FOLDER",
    "NAMED",
    "NOTE",
    "OBJECTIVES",
    "OUTCOME",
    "PARENT",
    "PICTURE_FILE",
    "PLAIN",
    "PROMOTED",
    "READINGS",
    "READINGS_FILE",
    "REASON",
    "REPEAT_FILE",
    "REPEAT_FOLDER",
    "REPORT_FILE",
    "REVISION",
    "RUN_NAME",
    "SAMPLES_FILE",
    "SOURCE",
    "STOPPED",
    "SWEEP",
    "SWEEP_FILE",
    "TAG_LIMIT",
    "THIS_RUN",
    "THUMB_FILE",
    "TRADE_OFFS",
    "TRIAL",
    "TRIALS",
    "WITNESSES_FILE",
    "WITNESSES_PICTURE",
    "At",
    "Scalar",
    "Status",
    "budget_text",
    "decode",
    "decode_alphas",
    "decode_files",
    "decode_readings",
    "encode",
    "encode_alphas",
    "encode_files",
    "encode_readings",
    "is_older_key",
    "metric_key",
    "parent_tags",
    "parse_metric_key",
]

KIND: Final = "tradeoff.kind"
SWEEP: Final = "tradeoff.sweep"
OBJECTIVES: Final = "tradeoff.objectives"
DESCRIPTION: Final = "tradeoff.description"
TRIALS: Final = "tradeoff.trials"
TRIAL: Final = "tradeoff.trial"
REASON: Final = "tradeoff.reason"
OUTCOME: Final = "tradeoff.outcome"
DIVERGED: Final = "diverged"
"""The outcome of a failed trial that would end the same way again."""
READINGS: Final = "tradeoff.readings"
STOPPED: Final = "tradeoff.stopped"
PROMOTED: Final = "tradeoff.promoted"
ALPHAS: Final = "tradeoff.alphas"
DATA: Final = "tradeoff.dataset.digest"
FILES: Final = "tradeoff.files"
COMMAND: Final = "tradeoff.command"
RUN_NAME: Final = "mlflow.runName"
NAMED: Final = "tradeoff.named"
"""What we called a run: one that is called otherwise was named by somebody."""
NOTE: Final = "mlflow.note.content"
"""What MLflow's pages show as a run's description."""
LAYOUT: Final = "tradeoff.layout"
LAYOUT_NOW: Final = "2"
LEASE: Final = "tradeoff.lease"
DELETED: Final = "tradeoff.deleted"
"""On a sweep's run, from when its deletion begins until it is undone; with a dot and a number what did not fit."""
IMPORTED: Final = "tradeoff.imported"
MEASURED: Final = "tradeoff.measured"
SOURCE: Final = "tradeoff.source"
"""On a trial that somebody else made: all its parameters are its own, whatever they are called."""
REVISION: Final = "tradeoff.revision"
"""On a sweep's own run: set anew by whoever changes runs that are over in a way that their times do not tell."""
PARENT: Final = "mlflow.parentRunId"
LOGGED_MODELS: Final = "mlflow.log-model.history"
"""By which MLflow's pages know that a run has a model: they link to it, and offer to register it."""
SWEEP_FILE: Final = "sweep.yaml"
CATALOGUE_FILE: Final = "catalogue.json"
SAMPLES_FILE: Final = "samples.json"
CURVE_FILE: Final = "curve.json"
PICTURE_FILE: Final = "samples.png"
CURVES_FILE: Final = "curves.json"
WITNESSES_FILE: Final = "witnesses.json"
WITNESSES_PICTURE: Final = "witnesses.png"
THUMB_FILE: Final = "thumb.png"
FRONT_FILE: Final = "front.png"
REPEAT_FOLDER: Final = "repeat"
"""All that repeating a run takes: its sweep file, and the modules beside it."""
REPEAT_FILE: Final = f"{REPEAT_FOLDER}/repeat.yaml"

THIS_RUN: Final = "{this-run}"
"""In a tag that is to be written: the id of the run that gets it, which only the store knows."""
ARRAYS_FILE: Final = "samples.npz"
READINGS_FILE: Final = "readings.json"
REPORT_FILE: Final = "report.html"
MODEL_FOLDER: Final = "model"

TRADE_OFFS: Final = tuple(10 ** (i / 20) for i in range(-60, 61))
"""The λ at which a run tells α_λ of its model: 20 a decade, from 0.001 to 1000."""

_READ = re.compile(r"(?P<method>[A-Za-z_]\w*)/(?P<budget>[0-9.]+(?:e[+-]?[0-9]+)?)/(?P<name>.+)")
_READ_BEFORE = re.compile(r"K(?P<budget>[0-9.]+(?:e[+-]?[0-9]+)?)/(?P<name>.+)")
"""Keys of layout 1, which knew one refinement: ``K2/precision``."""

Scalar = str | int | float | bool | None

Status = Literal["finished", "failed", "killed", "running"]
"""Where a trial or a sweep stands; ``running`` before a launch means that its driver died."""


class At(NamedTuple):
    """Which reading of a trial: a refinement and its budget K."""

    method: str
    budget: float

    def text(self) -> str:
        """``obrs/2``."""
        return f"{self.method}/{budget_text(self.budget)}"

    def words(self, with_method: bool = False) -> str:
        """For people: ``K = 2``, or ``K = 2, obrs``; at K = 1 there is no method to name."""
        named = f", {self.method}" if with_method and self.budget != 1 else ""
        return f"K = {budget_text(self.budget)}{named}"


PLAIN: Final = At("none", 1.0)
"""The model as it is; at K = 1 every refinement is that."""


TAG_LIMIT: Final = 4000
"""Longest tag written; MLflow servers refuse longer ones, at 5,000 characters or more."""


def parent_tags(objectives: Mapping[str, str], description: str) -> dict[str, str]:
    """What a sweep's own run says of the sweep beside its name."""
    # The sweep file among the artifacts has the description whole.
    told = description if len(description) <= TAG_LIMIT else description[: TAG_LIMIT - 1] + "…"
    return {
        KIND: "sweep",
        OBJECTIVES: json.dumps(dict(objectives)),
        DESCRIPTION: told,
        LAYOUT: LAYOUT_NOW,
    }


def budget_text(budget: float) -> str:
    """A budget as everyone here writes it, ``2`` or ``1.5``: the shortest digits that give the same float back."""
    if not (math.isfinite(budget) and budget >= 1):
        raise ValueError(f"budget K must be ≥ 1, got {budget}; use K=1 to accept every sample")
    return str(int(budget)) if budget == int(budget) else repr(float(budget))


def metric_key(at: At, name: str) -> str:
    """Key of a metric: ``precision`` of the model as it is, ``obrs/2/precision`` of a refinement."""
    return name if at.budget == 1 else f"{at.text()}/{name}"


def parse_metric_key(key: str) -> tuple[At, str]:
    """``obrs/1.5/acceptance`` → ``(At("obrs", 1.5), "acceptance")``; ``precision`` → ``(PLAIN, "precision")``."""
    match = _READ.fullmatch(key)
    method = match["method"] if match else "obrs"
    match = match or _READ_BEFORE.fullmatch(key)
    if match is None:
        return PLAIN, key
    budget = _budget(match["budget"])
    if budget is None:
        return PLAIN, key
    return (PLAIN if budget == 1 else At(method, budget)), match["name"]


def _budget(text: str) -> float | None:
    """A budget K ≥ 1; None from what others may have written there."""
    try:
        budget = float(text)
    except ValueError:
        return None
    return budget if math.isfinite(budget) and budget >= 1 else None


def is_older_key(key: str) -> bool:
    """Whether a key is one of layout 1; what a run was read with since counts more."""
    return _READ_BEFORE.fullmatch(key) is not None


def encode_readings(readings: Mapping[At, str]) -> str:
    """Which readings a run holds, each with the fingerprint of what it depends on, as a tag."""
    return json.dumps({at.text(): mark for at, mark in readings.items()}, separators=(",", ":"))


def decode_readings(text: str | None) -> dict[At, str]:
    """What ``encode_readings`` wrote; nothing from a tag that is absent or written by others."""
    raw = load_json(text)
    found: dict[At, str] = {}
    for key, mark in raw.items() if isinstance(raw, dict) else ():
        method, _, tail = clean(key).rpartition("/")
        budget = _budget(tail)
        if method and budget is not None and isinstance(mark, str):
            found[At(method, budget)] = mark
    return found


def encode_alphas(curve: Mapping[str, Any]) -> str | None:
    """α_λ at every one of ``TRADE_OFFS`` as a tag, from a curve (``lambda`` rising, ``precision``), if there is one."""
    if not curve.get("lambda"):
        return None
    import numpy as np  # here: readers of the store need none

    alphas = np.interp(TRADE_OFFS, curve["lambda"], curve["precision"])
    return json.dumps([float(f"{alpha:.4g}") for alpha in alphas], separators=(",", ":"))


def decode_alphas(text: str | None) -> tuple[float, ...]:
    """What ``encode_alphas`` wrote; nothing from a tag that is absent or written by others."""
    raw = load_json(text)
    if not isinstance(raw, list) or len(raw) != len(TRADE_OFFS):
        return ()
    kinds = set(map(type, raw))
    if not kinds <= {int, float, bool} or not math.isfinite(sum(raw)) or min(raw) < 0 or max(raw) > 1:
        return ()
    return tuple(raw) if kinds == {float} else tuple(map(float, raw))


def encode_files(digests: Mapping[str, str]) -> str:
    """Which artifacts a run has, each with the first digits of its content's digest; nothing where no tag takes it."""
    text = json.dumps(digests, separators=(",", ":"))
    return text if len(text) <= TAG_LIMIT else "{}"


def decode_files(text: str | None) -> dict[str, str]:
    """What ``encode_files`` wrote; nothing from a tag that is absent or written by others."""
    raw = load_json(text)
    return {str(name): str(digest) for name, digest in raw.items()} if isinstance(raw, dict) else {}


def encode(value: Scalar) -> str:
    """A scalar as text, from which ``decode`` gets value and type back: ``pr``, ``0.5``, ``true``, ``null``.

    A text stands as it is, so that MLflow's own search finds it; in JSON, with quotes, where it would be read as
    something else (``"1"``), or where a store might not keep it to the letter.
    """
    if isinstance(value, str) and value and value.isprintable() and value == value.strip():
        read = decode(value)
        if isinstance(read, str) and read == value:
            return value
    return json.dumps(value, ensure_ascii=False)


def decode(text: str) -> Scalar:
    """JSON text → scalar; text that is no JSON scalar is kept as it stands.

    So is a number that is not finite, which files and figures do not take.
    """
    value = load_json(text)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return None if text == "null" else clean(text)
