"""How steep a trial's networks are, in words: bounds that are certified, slopes that were seen."""

from __future__ import annotations

from explorer.results.naming import number
from explorer.results.table import Trial, TrialTable

__all__ = ["NOT_CERTIFIED", "steepness_rows"]

NOT_CERTIFIED = "not certified"
_BOUNDS = ("critic_lipschitz", "generator_lipschitz")
_KEYS = (
    "critic_lipschitz", "critic_slope", "generator_lipschitz", "generator_slope", "ceiling_alpha", "ceiling_own"
)  # fmt: skip


def steepness_rows(table: TrialTable, trial: Trial) -> list[tuple[str, str]]:
    """Titles and values; a bound that is not there is not certified. Nothing for trials that were not looked at so."""
    found = trial.metrics
    if "critic_slope" not in found and "generator_slope" not in found:
        return []
    return [
        (table.title(key), number(found[key]) if key in found else NOT_CERTIFIED)
        for key in _KEYS
        if key in found or key in _BOUNDS
    ]
