"""A comparison as plain values, for ``--json`` and for scripts; docs/comparing.md has its fields."""

from __future__ import annotations

import math
from typing import Any

from explorer.comparison.comparison import Comparison, Measured
from explorer.comparison.significance import Difference
from explorer.comparison.words import letter
from explorer.pareto.comparison import Estimate

__all__ = ["comparison_document"]


def comparison_document(found: Comparison) -> dict[str, Any]:
    """Runs, what differs between them, metrics with intervals and tests, costs, and the same in sentences.

    What is not known is null: numbers are finite.
    """
    points = found.points
    return {
        "runs": [_run(found, i) for i in range(len(found.sides))],
        "single_seeds": found.alone,
        "differing": {path: [point.get(path) for point in points] for path in found.differing()},
        "shared": found.shared(),
        "metrics": [_measured(metric, tested=True) for metric in found.metrics],
        "costs": [_measured(cost, tested=False) for cost in found.costs],
        "sentences": [*found.sentences()],
    }


def _run(found: Comparison, i: int) -> dict[str, Any]:
    side, at = found.sides[i], found.at[i]
    return {
        "letter": letter(i),
        "name": side.name,
        "sweep": side.label,
        "trial": side.trial.id,
        "run_id": side.trial.run_id,
        "status": side.trial.status,
        "seed": side.trial.seed,
        "seeds": found.seeds(i),
        "method": at.method,
        "budget": at.budget,
        "iterations": found.iterations(i),
    }


def _measured(metric: Measured, tested: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": metric.name,
        "title": metric.title,
        "direction": metric.direction,
        "values": [
            {**_estimate(value), "by_seed": {str(seed): v for seed, v in seeds.items()}}
            for value, seeds in zip(metric.values, metric.seeds, strict=True)
        ],
        "best": metric.best,
    }
    if tested:
        told["differences"] = [
            {**_difference(one), "verdict": metric.verdict(i + 1)} for i, one in enumerate(metric.differences)
        ]
    return told


def _estimate(one: Estimate) -> dict[str, Any]:
    return {"value": _number(one.value), "low": _number(one.low), "high": _number(one.high), "n": one.seeds}


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "value": _number(one.value),
        "low": _number(one.low),
        "high": _number(one.high),
        "p": one.p,
        "p_corrected": one.corrected,
        "test": one.test,
        "pairs": one.pairs,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
