"""Small tables of configurations with seeds, for figures of fronts."""

from __future__ import annotations

import numpy as np

from explorer.goals import parse_goals
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

TWO = At("obrs", 2.0)


def cloud_table(configurations: int = 6, seeds: int = 3, spread: float = 0.01) -> TrialTable:
    """Precision falls and recall grows with the configuration; seeds differ a little; K = 2 sharpens all."""
    rng = np.random.default_rng(7)
    trials = []
    for c in range(configurations):
        for seed in range(seeds):
            p, r = 0.9 - 0.08 * c + spread * rng.normal(), 0.3 + 0.1 * c + spread * rng.normal()
            plain = {"precision": p, "recall": r, "fid": 5 + 30 * c + rng.random()}
            later = {"precision": p + 0.02, "recall": r - 0.01, "fid": 4 + 30 * c + rng.random()}
            params = {"objective.lam": 10.0 / 2**c, "objective.name": "pr" if c % 2 else "kl", "seed": seed}
            trials.append(
                Trial(f"t{c}{seed}", f"run{c}{seed}", "finished", params, {PLAIN: plain, TWO: later})
            )
    goals = parse_goals({"precision": "max", "recall": "max", "fid": "min"})
    return TrialTable("cloud", goals, tuple(trials))
