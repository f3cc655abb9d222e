"""Artifacts of a trial for programs: its samples as arrays, and all its readings in one file."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from explorer.store.schema import ARRAYS_FILE, READINGS_FILE, At
from trainables.evaluation.reading import Evaluation, Reading

__all__ = ["kept_files"]


def kept_files(evaluation: Evaluation, marks: Mapping[At, str]) -> dict[str, bytes | str]:
    """Files by name (docs/architecture.md); equal evaluations give equal bytes."""
    files: dict[str, bytes | str] = {READINGS_FILE: _readings(evaluation, marks)}
    arrays = _arrays(evaluation)
    return {**files, ARRAYS_FILE: _npz(arrays)} if arrays else files


def _arrays(evaluation: Evaluation) -> dict[str, np.ndarray]:
    """Real samples and those of every reading, as many as are shown: points as float32, images as bytes."""
    named = {"real": evaluation.real, "real/classes": evaluation.real_classes}
    for reading in evaluation.readings:
        key = At(*reading.key).text()
        named |= {key: reading.samples, f"{key}/classes": reading.classes, f"{key}/refused": reading.rejected}
    found = {name: np.asarray(array) for name, array in named.items() if array is not None and len(array)}
    return {name: a.astype(np.float32) if a.dtype.kind == "f" else a for name, a in found.items()}


def _npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """As ``numpy.savez_compressed`` writes it, but for the time."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            member.compress_type = zipfile.ZIP_DEFLATED
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(member, content.getvalue())
    return data.getvalue()


def _readings(evaluation: Evaluation, marks: Mapping[At, str]) -> str:
    told = [_reading(reading, marks.get(At(*reading.key))) for reading in evaluation.readings]
    document = {
        "iteration": evaluation.iteration,
        "readings": told,
        "diagnostics": _numbers(evaluation.diagnostics),
    }
    return json.dumps(document, allow_nan=False)


def _reading(reading: Reading, mark: str | None) -> dict[str, object]:
    """A reading: the value of every metric, the ends of its interval where it has one, cost and mark."""
    metrics: dict[str, dict[str, float | None]] = {}
    for key, value in _numbers(reading.metrics).items():
        name, _, end = key.rpartition(".")
        known = end in ("low", "high") and name in reading.metrics
        metrics.setdefault(name if known else key, {})[end if known else "value"] = value
    return {
        "method": reading.method,
        "budget": reading.budget,
        "mark": mark,
        "metrics": metrics,
        "cost": None if reading.cost is None else _numbers(asdict(reading.cost)),
    }


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    """JSON knows no infinity: what is not finite is null."""
    return {key: float(value) if math.isfinite(value) else None for key, value in values.items()}
