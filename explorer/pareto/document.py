"""A sweep's front as plain JSON values: what ``tradeoff front --json`` prints and the app lets one take away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from explorer.pareto.ranking import rank
from explorer.results.audit import audit_lambda
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At, budget_text

__all__ = ["front_document", "reading_order"]


def front_document(table: TrialTable, at: At = PLAIN) -> dict[str, Any]:
    """Front, hypervolume, trials and λ audit at one reading. JSON knows no NaN: it is null."""
    ranking = rank(table, at)
    methods = table.methods()
    shown = at.method if at != PLAIN else methods[0] if methods else "none"
    return {
        "sweep": table.sweep,
        "objectives": {goal.metric: goal.direction for goal in table.goals},
        "method": at.method,
        "budget": at.budget,
        "hypervolume": _number(ranking.hypervolume),
        "reference": _finite(ranking.reference),
        "trials": [
            {
                "id": trial.id,
                "status": trial.status,
                "why": trial.why,
                "params": dict(trial.params),
                "metrics": _finite(trial.metrics),
                "budgets": {budget_text(k.budget): _finite(trial.readings[k]) for k in trial.path(shown)},
                "readings": [
                    {"method": key.method, "budget": key.budget, "metrics": _finite(metrics)}
                    for key, metrics in sorted(
                        trial.readings.items(), key=lambda pair: reading_order(pair[0])
                    )
                ],
                "on_front": trial.id in ranking.front,
                "rank": ranking.ranks.get(trial.id),
            }
            for trial in table
        ],
        "audit": audit_lambda(table, at).as_dict(),
    }


def reading_order(at: At) -> tuple[bool, str, float]:
    """The model as it is first, then by method and budget."""
    return at != PLAIN, at.method, at.budget


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
