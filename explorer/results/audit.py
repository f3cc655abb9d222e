"""The λ audit: does λ move precision up and recall down, as the theory of the PR-divergence promises?

Training on D_λ maximises α_λ = ∫ min(λp, q) = min(1, λ) - D_λ(P‖Q), the precision at slope λ of the PR curve
(Vérine, thesis, ch. 4): a large λ asks for precision, a small one for recall. Over a sweep that shows as a rank
correlation of λ with precision near +1 and with recall near -1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.results.catalogue import LAMBDA
from explorer.results.table import Scalar, Trial, TrialTable

__all__ = ["LambdaAudit", "LambdaGroup", "audit_lambda", "spearman"]

ENOUGH = 3
"""Fewest distinct λ for which a rank correlation is defined here: two always give ±1 or nothing."""


@dataclass(frozen=True)
class LambdaGroup:
    """Trials that differ in λ and seed only.

    Attributes:
        params: what tells this group from the others.
        lambdas: distinct values of λ, ascending.
        seeds: distinct seeds, ascending.
        trials: number of trials.
        precision: Spearman's ρ of λ with precision over all trials, seeds pooled; None if it is not defined.
        recall: the same with recall.
        by_seed: per seed, (ρ with precision, ρ with recall).
        inert: identities of trials in which λ did nothing.
    """

    params: Mapping[str, Scalar]
    lambdas: tuple[float, ...]
    seeds: tuple[int, ...]
    trials: int
    precision: float | None
    recall: float | None
    by_seed: Mapping[int, tuple[float | None, float | None]]
    inert: tuple[str, ...]

    def sentence(self) -> str:
        """The audit in one line."""
        if len(self.lambdas) < ENOUGH:
            told = f"not defined for {len(self.lambdas)} distinct values of λ, {ENOUGH} are needed"
        else:
            told = (
                f"{len(self.lambdas)} values × {max(len(self.seeds), 1)} seeds, Spearman with precision "
                f"{_signed(self.precision)}, with recall {_signed(self.recall)}"
            )
        where = ", ".join(f"{path}={value}" for path, value in self.params.items())
        return f"λ audit{f' ({where})' if where else ''}: {told}"


@dataclass(frozen=True)
class LambdaAudit:
    """One group per setting of everything but λ and seed, in the table's order; empty where no trial has a λ."""

    groups: tuple[LambdaGroup, ...]

    @property
    def inert(self) -> tuple[str, ...]:
        """Identities of all trials in which λ did nothing."""
        return tuple(trial for group in self.groups for trial in group.inert)

    def sentences(self) -> list[str]:
        """A line per group, and one on inert trials if there are any."""
        lines = [group.sentence() for group in self.groups]
        if self.inert:
            lines.append(f"λ did nothing (inert) in {len(self.inert)} trials: {', '.join(self.inert)}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        groups = []
        for group in self.groups:
            plain = asdict(group)
            pairs = {str(s): {"precision": p, "recall": r} for s, (p, r) in group.by_seed.items()}
            groups.append({**plain, "by_seed": pairs, "defined": len(group.lambdas) >= ENOUGH})
        return {"groups": groups, "inert": list(self.inert)}


def audit_lambda(table: TrialTable) -> LambdaAudit:
    """Rank correlation of λ with precision and recall over the finished trials that have one, per group."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Trial]] = {}
    for trial in table.finished():
        if isinstance(trial.params.get(LAMBDA), int | float):
            key = tuple(pair for pair in trial.point() if pair[0] != LAMBDA)
            groups.setdefault(key, []).append(trial)
    telling = _telling(groups)
    return LambdaAudit(
        tuple(_group({p: v for p, v in key if p in telling}, trials) for key, trials in groups.items())
    )


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's ρ: Pearson's correlation of the ranks, ties sharing their mean rank. None if one is constant."""
    a, b = (_ranks(np.asarray(v, dtype=np.float64)) for v in (x, y))
    a, b = a - a.mean(), b - b.mean()
    norm = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / norm if norm > 0 else None


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    # Ties fill the ranks up to their cumulated count; each takes the middle of them.
    middle: NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return middle[which]


def _telling(keys: Iterable[tuple[tuple[str, Scalar], ...]]) -> set[str]:
    """Paths whose value is not the same in all groups."""
    points = [dict(key) for key in keys]
    paths = {path for point in points for path in point}
    return {p for p in paths if len({(p in point, repr(point.get(p))) for point in points}) > 1}


def _group(params: Mapping[str, Scalar], trials: Sequence[Trial]) -> LambdaGroup:
    seeds = sorted({trial.seed for trial in trials if trial.seed is not None})
    by_seed = {seed: [trial for trial in trials if trial.seed == seed] for seed in seeds}
    return LambdaGroup(
        params=params,
        lambdas=tuple(sorted({_lam(trial) for trial in trials})),
        seeds=tuple(seeds),
        trials=len(trials),
        precision=_correlation(trials, "precision"),
        recall=_correlation(trials, "recall"),
        by_seed={s: (_correlation(ts, "precision"), _correlation(ts, "recall")) for s, ts in by_seed.items()},
        inert=tuple(trial.id for trial in trials if trial.metrics.get("lam_inert") == 1),
    )


def _correlation(trials: Sequence[Trial], metric: str) -> float | None:
    """ρ of λ with a metric over the trials that have it; None below three distinct λ."""
    pairs = [(_lam(trial), trial.metrics[metric]) for trial in trials if metric in trial.metrics]
    if len({lam for lam, _ in pairs}) < ENOUGH:
        return None
    lams, values = zip(*pairs, strict=True)
    return spearman(lams, values)


def _lam(trial: Trial) -> float:
    return float(trial.params[LAMBDA])  # type: ignore[arg-type]


def _signed(value: float | None) -> str:
    return "not defined" if value is None else f"{value:+.2f}"
