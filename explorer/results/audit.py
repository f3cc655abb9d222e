"""The λ audit: does λ move precision up and recall down, as the theory of the PR-divergence promises?

Training on D_λ maximises α_λ = ∫ min(λp, q) = min(1, λ) - D_λ(P‖Q), the precision at slope λ of the PR curve
(Vérine, thesis, ch. 4): a large λ asks for precision, a small one for recall. Over a sweep that shows as a rank
correlation of λ with precision near +1 and with recall near -1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.results.catalogue import LAMBDA
from explorer.results.naming import Naming
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["ENOUGH", "LambdaAudit", "LambdaGroup", "audit_lambda", "lambda_of", "spearman"]

ENOUGH = 3
"""Fewest distinct λ for which a rank correlation is defined here: two always give ±1 or nothing."""


@dataclass(frozen=True)
class LambdaGroup:
    """Finished trials that differ in λ and seed only.

    Attributes:
        params: what tells this group from the others.
        name: the same in a few words, empty where there is one group only.
        ids: identities of its trials.
        lambdas: distinct values of λ, ascending.
        seeds: distinct seeds, ascending.
        precision: Spearman's ρ of λ with precision over all trials, seeds pooled; None if it is not defined.
        recall: the same with recall.
        by_seed: per seed, (ρ with precision, ρ with recall).
        inert: identities of trials in which λ did nothing.
    """

    params: Mapping[str, Scalar]
    name: str
    ids: tuple[str, ...]
    lambdas: tuple[float, ...]
    seeds: tuple[int, ...]
    precision: float | None
    recall: float | None
    by_seed: Mapping[int, tuple[float | None, float | None]]
    inert: tuple[str, ...]

    @property
    def defined(self) -> bool:
        """Whether it has enough values of λ to be told of."""
        return len(self.lambdas) >= ENOUGH

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        return {
            "name": self.name,
            "params": dict(self.params),
            "lambdas": list(self.lambdas),
            "seeds": list(self.seeds),
            "trials": len(self.ids),
            "precision": self.precision,
            "recall": self.recall,
            "by_seed": {str(s): {"precision": p, "recall": r} for s, (p, r) in self.by_seed.items()},
            "inert": list(self.inert),
            "defined": self.defined,
        }


@dataclass(frozen=True)
class LambdaAudit:
    """One group per setting of everything but λ and seed, in the table's order; empty where no trial has a λ.

    Attributes:
        groups: the groups.
        at: the reading at which precision and recall were taken.
        where: the same for people, ``K = 2``.
        names: what tells each inert trial from the sweep's others, by identity.
    """

    groups: tuple[LambdaGroup, ...]
    at: At = PLAIN
    where: str = "K = 1"
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def defined(self) -> tuple[LambdaGroup, ...]:
        """The groups of enough values of λ."""
        return tuple(group for group in self.groups if group.defined)

    @property
    def inert(self) -> tuple[str, ...]:
        """Identities of all trials in which λ did nothing."""
        return tuple(trial for group in self.groups for trial in group.inert)

    def sentences(self) -> list[str]:
        """What was found, line by line."""
        from explorer.results.sentences import audit_sentences

        return audit_sentences(self)

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists, ready for JSON."""
        return {
            "method": self.at.method,
            "budget": self.at.budget,
            "groups": [group.as_dict() for group in self.groups],
            "inert": list(self.inert),
        }


def audit_lambda(table: TrialTable, at: At = PLAIN) -> LambdaAudit:
    """Rank correlation of λ with precision and recall at one reading, per group of the finished trials with a λ."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Trial]] = {}
    for trial in table.finished():
        if lambda_of(trial) is not None:
            key = tuple(pair for pair in trial.point() if pair[0] != LAMBDA)
            groups.setdefault(key, []).append(trial)
    naming = Naming.of([dict(key) for key in groups])
    found = tuple(_group(dict(key), trials, naming, at) for key, trials in groups.items())
    apart = Naming.of([trial.params for trial in table])
    inert = {trial for group in found for trial in group.inert}
    names = {trial.id: apart.name(trial.params) for trial in table if trial.id in inert}
    return LambdaAudit(found, at, table.words(at), names)


def lambda_of(trial: Trial) -> float | None:
    """A trial's λ, None where it has none that is a finite number."""
    value = trial.params.get(LAMBDA)
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if number else None  # type: ignore[arg-type]


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


def _group(point: Mapping[str, Scalar], trials: Sequence[Trial], naming: Naming, at: At) -> LambdaGroup:
    seeds = sorted({trial.seed for trial in trials if trial.seed is not None})
    by_seed = {seed: [trial for trial in trials if trial.seed == seed] for seed in seeds}
    return LambdaGroup(
        params={path: value for path, value in point.items() if path in naming.headings},
        name=naming.name(point),
        ids=tuple(trial.id for trial in trials),
        lambdas=tuple(sorted({lam for trial in trials if (lam := lambda_of(trial)) is not None})),
        seeds=tuple(seeds),
        precision=_correlation(trials, "precision", at),
        recall=_correlation(trials, "recall", at),
        by_seed={
            s: (_correlation(t, "precision", at), _correlation(t, "recall", at)) for s, t in by_seed.items()
        },
        inert=tuple(trial.id for trial in trials if trial.metrics.get("lam_inert") == 1),
    )


def _correlation(trials: Sequence[Trial], metric: str, at: At) -> float | None:
    """ρ of λ with a metric over the trials that have it; None below three distinct λ."""
    read = [(lambda_of(trial), trial.at(at).get(metric)) for trial in trials]
    pairs = [(lam, value) for lam, value in read if lam is not None and value is not None]
    if len({lam for lam, _ in pairs}) < ENOUGH:
        return None
    lams, values = zip(*pairs, strict=True)
    return spearman(lams, values)
