"""What the runs of a sweep are called in MLflow: by what varies, so that a list of runs reads by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from explorer.portrait.names import searchable
from explorer.results.catalogue import BASE
from explorer.results.naming import Naming
from explorer.results.table import Scalar
from explorer.sweep.axes import Axis, Interval, as_text
from explorer.sweep.sweep import Sweep

__all__ = ["run_names", "varied_paths"]


def run_names(sweep: Sweep) -> Callable[[Mapping[str, Scalar]], str]:
    """The name of a trial by its parameters, ``lam 0.5, kl, seed 3``: MLflow's search finds what a keyboard can type.

    It follows from the space and the seeds alone, so that a trial is called the same however the search came to it.
    Empty where nothing varies. Numbers have four digits: trials that a search drew close together may share a name.
    """
    varied = varied_paths(sweep)
    return searchable(Naming.along(varied, staged=sweep.start is not None))


def varied_paths(sweep: Sweep) -> set[str]:
    """Parameters of two values or more, or that only some points have; the seed, if there are several."""
    boxes = [dict(_leaves(box)) for box in sweep.space.boxes]
    found: dict[str, set[str]] = {}
    for leaves in boxes:
        for path, texts in leaves.items():
            found.setdefault(path, set()).update(texts)
    varied = {
        path for path, texts in found.items() if len(texts) > 1 or any(path not in leaves for leaves in boxes)
    }
    return {*varied, *(["seed"] if len(sweep.seeds) > 1 else [])} - {BASE}


def _leaves(box: Mapping[str, Axis]) -> Iterator[tuple[str, set[str]]]:
    """Parameters that the axes of a box set, each with its values as text; a whole section sets several."""
    for path, axis in box.items():
        values = axis.extremes() if isinstance(axis, Interval) else axis.values()
        told = [dict(_flat(path, value)) for value in values]
        for leaf in dict.fromkeys(leaf for one in told for leaf in one):
            yield leaf, {one.get(leaf, "absent") for one in told}


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}", inner)
    else:
        yield path, as_text(value)
