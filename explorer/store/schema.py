"""The names under which MLflow holds a sweep: tags, metric keys and the encoding of parameters.

Writer (``explorer.tracking``) and reader (``explorer.results``) both follow this file.
The table in ``docs/architecture.md`` is its prose.
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

__all__ = [
    "DESCRIPTION",
    "KIND",
    "OBJECTIVES",
    "PARENT",
    "REASON",
    "SWEEP",
    "SWEEP_FILE",
    "TRIAL",
    "TRIALS",
    "budget_text",
    "decode",
    "encode",
    "metric_key",
    "parse_metric_key",
]

KIND: Final = "tradeoff.kind"
SWEEP: Final = "tradeoff.sweep"
OBJECTIVES: Final = "tradeoff.objectives"
DESCRIPTION: Final = "tradeoff.description"
TRIALS: Final = "tradeoff.trials"
TRIAL: Final = "tradeoff.trial"
REASON: Final = "tradeoff.reason"
PARENT: Final = "mlflow.parentRunId"
SWEEP_FILE: Final = "sweep.yaml"

_BUDGETED = re.compile(r"K(?P<budget>[0-9.]+(?:e[+-]?[0-9]+)?)/(?P<name>.+)")

Scalar = str | int | float | bool | None


def budget_text(budget: float) -> str:
    """A budget as people write it, ``2`` or ``1.5``: the shortest digits that give the same float back."""
    if not (math.isfinite(budget) and budget >= 1):
        raise ValueError(f"budget K must be ≥ 1, got {budget}; use K=1 to accept every sample")
    return str(int(budget)) if budget == int(budget) else repr(float(budget))


def metric_key(budget: float, name: str) -> str:
    """Key of a metric read at budget K: ``K2/precision``, ``K1.5/acceptance``."""
    return f"K{budget_text(budget)}/{name}"


def parse_metric_key(key: str) -> tuple[float | None, str]:
    """``K1.5/acceptance`` → ``(1.5, "acceptance")``; ``precision`` → ``(None, "precision")``."""
    match = _BUDGETED.fullmatch(key)
    return (None, key) if match is None else (float(match["budget"]), match["name"])


def encode(value: Scalar) -> str:
    """A scalar as JSON text, from which ``decode`` gets value and type back."""
    return json.dumps(value, ensure_ascii=False)


def decode(text: str) -> Scalar:
    """JSON text → scalar; text that is no JSON scalar (a run written by others) is kept as it stands."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return value if value is None or isinstance(value, str | int | float | bool) else text
