"""The folder of a model as MLflow reads it, made from a trial's own file without running anything of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from explorer.models.code import Code, code_of
from explorer.models.environment import environment_files, mlflow_version
from explorer.models.sources import is_distributed
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD

__all__ = ["DESCRIPTION", "Unmade", "logged", "model_files"]

DESCRIPTION = "MLmodel"
CARD_FILE, WEIGHTS_FILE = "model.json", "weights.safetensors"
DATA = "data"
EXAMPLE = {"n": 8, "budget": 2.0}
SECONDS = 50.0
"""That a call may take where it does not say, as ``served`` has it."""


class Unmade(Exception):
    """No model can be made of what is there; the rest of a sentence that says why."""


def model_files(sampler: bytes, run: str | None = None) -> dict[str, bytes]:
    """The files of a model by their names in its folder.

    Args:
        sampler: the trial's own file, as ``trainables.samplers.keeping`` wrote it.
        run: the run of MLflow to which it belongs, where that is known.
    """
    try:
        card = json.loads(read_tensors(sampler)[1][CARD])
        members = card["members"].values()
        code = code_of(frozenset(member["module"] for member in members))
    except (ValueError, LookupError, TypeError, AttributeError, SyntaxError, OSError) as error:
        raise Unmade(f"its networks are kept in a file that cannot be used: {error}") from error
    outside = {member["module"].partition(".")[0] for member in members if is_distributed(member["module"])}
    for member in members:
        member["module"] = code.renamed(member["module"])
    files = {
        f"{DATA}/{CARD_FILE}": _text(card),
        f"{DATA}/{WEIGHTS_FILE}": sampler,
        **{f"code/{name}": content for name, content in code.files.items()},
        **environment_files(code.installed | outside),
        "input_example.json": json.dumps(EXAMPLE).encode(),
        "serving_input_example.json": _text({"inputs": EXAMPLE}),
    }
    return {DESCRIPTION: _text(_description(card, code, files, run)), **files}


def logged(description: bytes, folder: str, run: str) -> str:
    """What a run says, in MLflow's own tag, of a model in its folder; ``description`` is the file ``MLmodel``."""
    told = json.loads(description)
    kept = {key: told[key] for key in ("flavors", "mlflow_version", "model_uuid", "utc_time_created")}
    return json.dumps([{"artifact_path": folder, "run_id": run, **kept}])


def _description(
    card: Mapping[str, Any], code: Code, files: Mapping[str, bytes], run: str | None
) -> dict[str, Any]:
    """The file ``MLmodel``; what is of another time or run is all that differs where models are equal."""
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).digest()
    found = {
        "flavors": {
            "python_function": {
                "code": "code",
                "data": DATA,
                "env": {"conda": "conda.yaml", "virtualenv": "python_env.yaml"},
                "loader_module": code.package,
                "python_version": platform.python_version(),
            }
        },
        "metadata": {"tradeoff.trial": card["trial"], "tradeoff.iteration": card["iteration"]},
        "mlflow_version": mlflow_version(),
        "model_size_bytes": sum(map(len, files.values())),
        "model_uuid": UUID(bytes=digest[:16], version=4).hex,
        "saved_input_example_info": {
            "artifact_path": "input_example.json",
            "serving_input_path": "serving_input_example.json",
            "type": "json_object",
        },
        "signature": _signature(card),
        "utc_time_created": f"{datetime.now(UTC).replace(tzinfo=None)}",
    }
    return found if run is None else {**found, "run_id": run}


def _signature(card: Mapping[str, Any]) -> dict[str, str]:
    """What is asked and what is given.

    MLflow takes no whole number where a real one is due, so K may be anything for it; and it passes over what is not
    named here, so a class is, also where it will be refused.
    """
    inputs: list[dict[str, Any]] = [
        {"type": "long", "name": "n", "required": True},
        {"type": "any", "name": "budget", "required": False},
        {"type": "long", "name": "seed", "required": False},
        {"type": "long", "name": "class", "required": False},
    ]
    kind = "uint8" if card["span"] is not None and len(card["shape"]) == 3 else "float32"
    outputs = [{"type": "tensor", "tensor-spec": {"dtype": kind, "shape": [-1, *card["shape"]]}}]
    params = [
        {"name": "report", "type": "boolean", "default": False, "shape": None},
        {"name": "seconds", "type": "double", "default": SECONDS, "shape": None},
    ]
    return {name: json.dumps(value) for name, value in zip(_PARTS, (inputs, outputs, params), strict=True)}


_PARTS = ("inputs", "outputs", "params")


def _text(value: object) -> bytes:
    """JSON, which is YAML too."""
    return f"{json.dumps(value, indent=2, ensure_ascii=False)}\n".encode()
