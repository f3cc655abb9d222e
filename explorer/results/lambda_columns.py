"""λ as columns of a table: the λ of every trial, its α at every trade-off, and the groups that differ in λ only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from explorer.results.catalogue import LAMBDA, LAMBDAS
from explorer.results.columns import Columns
from explorer.results.table import Scalar, Trial
from explorer.store.schema import TRADE_OFFS

__all__ = ["alphas_of", "lambda_groups", "lambda_of", "lambdas_of", "point_without"]


def lambda_of(trial: Trial) -> float | None:
    """The λ a trial was trained at; None where there is none that is a finite number, and for one trained at many."""
    value = trial.params.get(LAMBDA) if trial.params.get(LAMBDAS) is None else None
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if number else None  # type: ignore[arg-type]


def lambdas_of(columns: Columns) -> NDArray[np.float64]:
    """(N,) the λ of every trial, NaN where ``lambda_of`` has none. O(trials) once."""

    def made() -> NDArray[np.float64]:
        found = (lambda_of(trial) for trial in columns.trials)
        return np.array([math.nan if lam is None else lam for lam in found], dtype=np.float64)

    return columns.kept("λ", made)


def alphas_of(columns: Columns) -> NDArray[np.float64]:
    """(N, 121) α_λ of every model as it is at ``TRADE_OFFS``, NaN where that is not known. O(trials) once."""

    def made() -> NDArray[np.float64]:
        found = np.full((len(columns), len(TRADE_OFFS)), math.nan)
        known = [row for row, trial in enumerate(columns.trials) if len(trial.alphas) == len(TRADE_OFFS)]
        if known:
            found[known] = [columns.trials[row].alphas for row in known]
        return found

    return columns.kept("α", made)


def lambda_groups(columns: Columns, pooled: tuple[str, ...]) -> NDArray[np.int64]:
    """(N,) which group a trial is of: those share one that differ in λ, seed and the ``pooled`` parameters only.

    O(trials + configurations · parameters) once per choice of ``pooled``.
    """

    def made() -> NDArray[np.int64]:
        found: dict[object, int] = {}
        left_out = frozenset((LAMBDA, *pooled))
        keys = (point_without(columns.trials[row], left_out) for row in columns.first_rows)
        codes = np.array([found.setdefault(key, len(found)) for key in keys], dtype=np.int64)
        return codes[columns.configurations]

    return columns.kept(("groups of λ", pooled), made)


def point_without(trial: Trial, left_out: frozenset[str]) -> tuple[tuple[str, bool, Scalar], ...]:
    """A trial's point of the space without some of its parameters."""
    return tuple(part for part in trial.point() if part[0] not in left_out)
