"""Artifacts of a trial that explain its numbers; one that cannot be made is told of, and costs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.launch.thumbnail import thumbnail
from explorer.launch.witness_sheet import witness_sheet
from explorer.store.schema import CURVES_FILE, THUMB_FILE, WITNESSES_FILE, WITNESSES_PICTURE
from trainables.evaluation.findings import EstimatedCurve, Side, Witnesses
from trainables.evaluation.reading import Evaluation
from trainables.faults import reason_of

__all__ = ["extra_files"]

File = bytes | str


def extra_files(evaluation: Evaluation) -> tuple[dict[str, File], list[str]]:
    """Files by name (docs/architecture.md), and a sentence for each that was left out since it failed."""
    makers: dict[str, Callable[[Evaluation], File | None]] = {
        WITNESSES_FILE: _witnesses,
        WITNESSES_PICTURE: _witness_picture,
        CURVES_FILE: _curves,
        THUMB_FILE: _thumbnail,
    }
    files: dict[str, File] = {}
    left_out = [] if evaluation.findings is None else list(evaluation.findings.left_out)
    for name, make in makers.items():
        try:
            made = make(evaluation)
        except Exception as error:
            left_out.append(f"{name} is left out ({reason_of(error)})")
            continue
        if made is not None:
            files[name] = made
    return files, left_out


def _witnesses(evaluation: Evaluation) -> str | None:
    found = _found(evaluation)
    if found is None:
        return None
    told = {"outside": _side(found.outside), "missed": _side(found.missed)}
    return json.dumps({**told, "features": found.features, "k": found.k})


def _found(evaluation: Evaluation) -> Witnesses | None:
    return None if evaluation.findings is None else evaluation.findings.witnesses


def _side(side: Side) -> Mapping[str, Any]:
    points = side.samples
    drawn = points.ndim == 2 and points.shape[1] <= 2
    return {
        "share": float(f"{side.share:.5g}"),
        "points": np.round(points.astype(np.float64), 4).tolist() if drawn else [],
        "excess": _short(side.excess),
    }


def _witness_picture(evaluation: Evaluation) -> bytes | None:
    """Of images that can be drawn, where there are any."""
    found = _found(evaluation)
    sides = () if found is None else (found.outside, found.missed)
    if not sides or not any(len(side.samples) for side in sides):
        return None
    if any(side.samples.ndim != 4 or side.samples.shape[1] not in (1, 3) for side in sides):
        return None
    titles = "Generated, outside of the data", "Real, missed by the model"
    return witness_sheet(
        [
            (f"{title}: {side.share:.0%}", side.samples.astype(np.uint8))
            for title, side in zip(titles, sides, strict=True)
        ]
    )


def _curves(evaluation: Evaluation) -> str | None:
    if evaluation.findings is None or not evaluation.findings.curves:
        return None
    return json.dumps({"curves": [_curve(curve) for curve in evaluation.findings.curves]}, ensure_ascii=False)


def _curve(curve: EstimatedCurve) -> Mapping[str, Any]:
    told = {"name": curve.name, "title": curve.title, "sentence": curve.sentence}
    numbers = {"lambda": curve.lam, "precision": curve.precision, "recall": curve.recall}
    if curve.error is not None:
        numbers["error"] = curve.error
    return {**told, **{key: _short(values) for key, values in numbers.items()}}


def _thumbnail(evaluation: Evaluation) -> bytes | None:
    """Of the model as it is, where its samples are shown."""
    samples = evaluation.readings[0].samples if evaluation.readings else None
    return None if evaluation.real is None or samples is None else thumbnail(evaluation.real, samples)


def _short(values: NDArray[np.float64]) -> list[float]:
    """Five digits."""
    return [float(f"{value:.5g}") for value in values.tolist()]
