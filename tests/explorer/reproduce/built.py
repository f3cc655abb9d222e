"""The panels of a registered figure, computed once for all tests of a process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest

from explorer.reproduce import Panel, panels, reproduction, thesis_refined_costs, thesis_table_61
from tests.app.made_sweep import configs, made, write_sweep
from tests.stores import empty_store

__all__ = ["CORNERS", "built", "stored_sweep", "traces"]

CORNERS = {
    (0.1, 0): (0.6, 0.95),
    (0.1, 1): (0.6, 0.9),
    (1.0, 0): (0.8, 0.8),
    (1.0, 1): (0.5, 0.5),
    (10.0, 0): (0.97, 0.3),
    (10.0, 1): (0.95, 0.3),
}
"""Largest precision and recall of made-up trials, by λ and seed; at λ = 1, seed 1 is beaten by its neighbours."""


FEWER = {
    "thesis-table-6.1": (thesis_table_61, {"CHOSEN": 10, "MOVED": 2}),
    "thesis-6.9": (thesis_refined_costs, {"SETS": 4}),
}
"""Repeats that are fewer here than in the figures, whose means differ by chance alone."""


@cache
def built(name: str) -> Sequence[Panel]:
    """The panels of the figure of that name; trained models are those of ``stored_sweep``."""
    entry = reproduction(name)
    with pytest.MonkeyPatch.context() as patch:
        if name in FEWER:
            module, repeats = FEWER[name]
            for constant, count in repeats.items():
                patch.setattr(module, constant, count)
        return panels(entry, tracking_uri=stored_sweep(entry.sweep) if entry.sweep else None)


@cache
def stored_sweep(name: str) -> str:
    """Address of a store whose sweep of that name has three trade-offs, two seeds, and curves that are rectangles."""
    uri = empty_store(Path(mkdtemp()))
    trials = []
    for config in configs((0.1, 1.0, 10.0), 2):
        lam = getattr(config.objective, "lam", None)
        trial = made(config)
        if lam is not None:
            trial = replace(trial, final=replace(trial.final, curve=_rectangle(*CORNERS[lam, config.seed])))
        trials.append(trial)
    write_sweep(uri, name, trials)
    return uri


def traces(name: str, panel: int = 0, kind: str = "scatter") -> dict[str, Any]:
    """The named traces of one kind in one panel, by name."""
    return {t.name: t for t in built(name)[panel].figure.data if t.type == kind and t.name}


def _rectangle(precision: float, recall: float) -> dict[str, object]:
    """The curve of a model with that precision and recall: α_λ = min(precision, λ·recall)."""
    lam = np.tan(np.linspace(0, np.pi / 2, 103)[1:-1])
    alpha = np.minimum(precision, lam * recall)
    return {
        "lambda": lam.tolist(),
        "precision": alpha.tolist(),
        "recall": (alpha / lam).tolist(),
        "source": "exact",
    }
