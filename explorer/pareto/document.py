"""A sweep's front as plain JSON values: what ``tradeoff front --json`` prints and the app lets one take away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from explorer.pareto.ranking import rank
from explorer.results.audit import audit_lambda
from explorer.results.table import TrialTable
from explorer.store.schema import budget_text

__all__ = ["front_document"]


def front_document(table: TrialTable, budget: float = 1.0) -> dict[str, Any]:
    """Front, hypervolume, trials and λ audit, read at budget K. JSON knows no NaN: such a value is null."""
    ranking = rank(table, budget)
    return {
        "sweep": table.sweep,
        "objectives": {o.metric: o.direction for o in table.goals},
        "budget": budget,
        "hypervolume": ranking.hypervolume,
        "reference": _finite(ranking.reference),
        "trials": [
            {
                "id": trial.id,
                "status": trial.status,
                "params": dict(trial.params),
                "metrics": _finite(trial.metrics),
                "budgets": {budget_text(k): _finite(trial.budgets[k]) for k in sorted(trial.budgets)},
                "on_front": trial.id in ranking.front,
                "rank": ranking.ranks.get(trial.id),
            }
            for trial in table
        ],
        "audit": audit_lambda(table).as_dict(),
    }


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
