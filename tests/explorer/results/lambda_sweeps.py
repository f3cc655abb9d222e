"""Made-up sweeps over λ: a table of (λ, seed, L) whose precision rises with λ and whose recall falls."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from explorer.goals import Goal
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.explorer.results.peaked import peaked

__all__ = ["K2", "LAMBDAS", "continuous", "grid", "sweep"]

K2 = At("obrs", 2.0)
LAMBDAS = (0.1, 0.3, 1.0, 3.0, 10.0)


def sweep(points: Iterable[tuple[float, int, float]], **told: float) -> Columns:
    """Trials of (λ, seed, L), with further diagnostics."""
    trials = []
    for i, (lam, seed, bound) in enumerate(points):
        push = 0.2 * math.tanh(math.log(lam)) if lam > 0 else -0.2
        noise = 0.01 * math.sin(12.9898 * i)
        metrics = {"precision": 0.7 + push + noise, "recall": 0.6 - push - noise, **told}
        refined = {"precision": 0.8 + push + noise, "recall": 0.55 - push - noise}
        params = {"objective.lam": lam, "seed": seed, "constraint.lipschitz": bound}
        alphas = peaked(lam, seed) if lam > 0 else ()
        trials.append(
            Trial(f"{i:012x}", f"run{i}", "finished", params, {PLAIN: metrics, K2: refined}, alphas=alphas)
        )
    return Columns(TrialTable("t", (Goal("precision", "max"), Goal("recall", "max")), tuple(trials)))


def grid(settings: int = 2, seeds: int = 3, lambdas: Iterable[float] = LAMBDAS, **told: float) -> Columns:
    """Every λ with every L and seed."""
    values = tuple(lambdas)
    return sweep(
        ((lam, seed, float(bound)) for bound in range(settings) for lam in values for seed in range(seeds)),
        **told,
    )


def continuous(trials: int = 60) -> Columns:
    """λ as a search draws it."""
    drawn = 10 ** np.random.default_rng(0).uniform(-1.5, 1.5, trials)
    return sweep((float(lam), i % 2, 1.0) for i, lam in enumerate(drawn))
