"""Quick ways to a good trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from explorer.results.table import TrialTable
from explorer.store.schema import At

__all__ = ["quick_picks"]


def quick_picks(table: TrialTable, ranks: Mapping[str, int], at: At) -> dict[str, str]:
    """Trials of the front worth a first look, by what they are best at; other goals by their own names."""
    rows = [(t.id, t.at(at)) for t in table if ranks.get(t.id) == 0]

    def best(score: Callable[[Mapping[str, float]], float]) -> str | None:
        scored = [(score(metrics), identity) for identity, metrics in rows]
        scored = [s for s in scored if math.isfinite(s[0])]
        return max(scored)[1] if scored else None

    picks = {"Sharp": best(lambda m: m.get("precision", math.nan)), "Balanced": best(_harmonic)}
    picks["Diverse"] = best(lambda m: m.get("recall", math.nan))
    for goal in table.goals:
        if goal.metric not in ("precision", "recall"):
            word = "Low" if goal.direction == "min" else "High"
            picks[f"{word} {table.title(goal.metric)}"] = best(
                lambda m, goal=goal: -goal.sign * m.get(goal.metric, math.nan)  # type: ignore[misc]
            )
    return {label: identity for label, identity in picks.items() if identity is not None}


def _harmonic(metrics: Mapping[str, float]) -> float:
    """F₁ of precision and recall."""
    p, r = metrics.get("precision", math.nan), metrics.get("recall", math.nan)
    return 2 * p * r / (p + r) if p + r else math.nan
