"""The λ audit: does λ do what the theory of the PR-divergence promises?

Training on D_λ maximises α_λ = ∫ min(λp, q) = min(1, λ) - D_λ(P‖Q), the precision at slope λ of the PR curve
(Vérine, thesis, ch. 4). So of all models of a group the one trained at λ should have the largest α_λ
(``explorer/results/promise.py``). A large λ asks for precision, a small one for recall: over a sweep that shows as a
rank correlation of λ with precision near +1 and with recall near -1. Both come with the share of permutations of λ
within seeds that would look as good.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.results.catalogue import LAMBDA, LAMBDAS
from explorer.results.naming import Naming
from explorer.results.permutation import permutations, upper_share
from explorer.results.promise import OwnLambda, own_lambda
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = [
    "ENOUGH",
    "INERT",
    "LambdaAudit",
    "LambdaGroup",
    "audit_lambda",
    "inertness",
    "lambda_of",
    "spearman",
]

ENOUGH = 3
"""Fewest distinct λ for which a rank correlation is defined here: two always give ±1 or nothing."""


@dataclass(frozen=True)
class LambdaGroup:
    """Finished trials that differ in λ and seed only, and in what a search drew from a continuum.

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
        chance: p-values of both: the share of permutations of λ within seeds whose ρ is as far on the promised side.
        own: how models fare at the λ they were trained at; None where too few curves are known.
        unread: trials whose α_λ is not known.
        inert_at: λ → (inert trials, all trials, how: ``never caps``, ``starves``, else ``inert``), where there are any.
        pooled: parameters that differ within the group all the same, since hardly two trials share a value.
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
    chance: tuple[float | None, float | None] = (None, None)
    own: OwnLambda | None = None
    unread: int = 0
    inert_at: Mapping[float, tuple[int, int, str]] = field(default_factory=dict)
    pooled: tuple[str, ...] = ()

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
            "p": {"precision": self.chance[0], "recall": self.chance[1]},
            "own_lambda": None if self.own is None else self.own.as_dict(),
            "alphas_unknown": self.unread,
            "inert": list(self.inert),
            "inert_at": [
                {"lambda": lam, "inert": inert, "trials": trials, "how": how}
                for lam, (inert, trials, how) in self.inert_at.items()
            ],
            "pooled": list(self.pooled),
            "defined": self.defined,
        }


@dataclass(frozen=True)
class LambdaAudit:
    """One group per setting of everything but λ and seed, in the table's order; empty where no trial has a λ.

    Attributes:
        groups: the groups.
        at: the reading at which precision and recall were taken; α_λ is that of the models as they are.
        where: the same for people, ``K = 2``.
    """

    groups: tuple[LambdaGroup, ...]
    at: At = PLAIN
    where: str = "K = 1"

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
    """What λ does at one reading, per group of the finished trials with a λ.

    O(trials · parameters) and, per group of n trials, at most 999 permutations of O(n log n).
    """
    audited = [trial for trial in table.finished() if lambda_of(trial) is not None]
    pooled = _scattered(audited)
    groups: dict[tuple[tuple[str, Scalar], ...], list[Trial]] = {}
    for trial in audited:
        key = tuple(pair for pair in trial.point() if pair[0] != LAMBDA and pair[0] not in pooled)
        groups.setdefault(key, []).append(trial)
    naming = Naming.of([dict(key) for key in groups])
    found = tuple(_group(dict(key), trials, naming, pooled, at) for key, trials in groups.items())
    return LambdaAudit(found, at, table.words(at))


def _scattered(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Parameters beside λ whose values hardly ever come again: a search drew them from a continuum.

    Grouped by them, every trial would stand alone. A parameter is one of them if it has more distinct numbers than half
    of the points that were tried.
    """
    points = {trial.point() for trial in trials}
    values: dict[str, set[float]] = {}
    for point in points:
        for path, value in point:
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(path, set()).add(value)
    return tuple(
        sorted(p for p, seen in values.items() if p != LAMBDA and len(seen) > max(ENOUGH, len(points) / 2))
    )


def lambda_of(trial: Trial) -> float | None:
    """The λ a trial was trained at; None where there is none that is a finite number, and for one trained at many."""
    value = trial.params.get(LAMBDA) if trial.params.get(LAMBDAS) is None else None
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if number else None  # type: ignore[arg-type]


NEVER_CAPS, STARVES, INERT = "never caps", "starves", "inert"
"""How λ does nothing; the last where a run of an earlier version does not tell."""


def inertness(trial: Trial) -> str | None:
    """How λ did nothing in a trial: ``never caps``, ``starves`` or ``inert``; None where it acted, or nobody knows.

    It did nothing if it was so on average over training, or if at the end no generated point lies on one side of the
    bend: λ r̂ < 1 everywhere never caps the loss, so that λ only scales it; λ r̂ > 1 everywhere starves the generator,
    which gets no gradient.
    """
    told = trial.metrics
    below, above = told.get("lam_below"), told.get("lam_above")
    for key, how in (("lam_starves", STARVES), ("lam_never_caps", NEVER_CAPS)):
        if told.get(key) == 1:
            return how
    if below is None or above is None:
        return INERT if told.get("lam_inert") == 1 else None
    if 0 in (below, above) or told.get("lam_inert") == 1:
        return STARVES if above > below else NEVER_CAPS
    return None


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


def _group(
    point: Mapping[str, Scalar], trials: Sequence[Trial], naming: Naming, pooled: tuple[str, ...], at: At
) -> LambdaGroup:
    seeds = sorted({trial.seed for trial in trials if trial.seed is not None})
    by_seed = {seed: [trial for trial in trials if trial.seed == seed] for seed in seeds}
    precisions, recalls = _read(trials, "precision", at), _read(trials, "recall", at)
    known = [trial for trial in trials if trial.alphas and (lambda_of(trial) or 0) > 0]
    return LambdaGroup(
        params={path: value for path, value in point.items() if path in naming.headings},
        name=naming.name(point),
        ids=tuple(trial.id for trial in trials),
        lambdas=tuple(sorted({lam for trial in trials if (lam := lambda_of(trial)) is not None})),
        seeds=tuple(seeds),
        precision=_correlation(precisions),
        recall=_correlation(recalls),
        by_seed={
            s: (_correlation(_read(t, "precision", at)), _correlation(_read(t, "recall", at)))
            for s, t in by_seed.items()
        },
        inert=tuple(trial.id for trial in trials if inertness(trial)),
        chance=(_luck(precisions, 1.0), _luck(recalls, -1.0)),
        own=own_lambda(
            [lambda_of(t) or 0.0 for t in known], [t.alphas for t in known], [t.seed for t in known]
        ),
        unread=len(trials) - len(known),
        inert_at=_inert_at(trials),
        pooled=tuple(path for path in pooled if any(path in trial.params for trial in trials)),
    )


def _inert_at(trials: Sequence[Trial]) -> dict[float, tuple[int, int, str]]:
    found: dict[float, list[str | None]] = {}
    for trial in trials:
        if (lam := lambda_of(trial)) is not None:
            found.setdefault(lam, []).append(inertness(trial))
    told = {}
    for lam, how in sorted(found.items()):
        ways = sorted({way for way in how if way is not None})
        if ways:
            told[lam] = (sum(way is not None for way in how), len(how), " or ".join(ways))
    return told


_Rows = Sequence[tuple[float, float, int]]
"""(λ, value, seed) of trials; -1 for one without a seed."""


def _read(trials: Sequence[Trial], metric: str, at: At) -> _Rows:
    """The trials that have a metric at a reading."""
    read = [(lambda_of(trial), trial.at(at).get(metric), trial.seed) for trial in trials]
    return [
        (lam, value, -1 if seed is None else seed)
        for lam, value, seed in read
        if lam is not None and value is not None
    ]


def _correlation(rows: _Rows) -> float | None:
    """ρ of λ with the values; None below three distinct λ."""
    if len({lam for lam, _, _ in rows}) < ENOUGH:
        return None
    lams, values, _ = zip(*rows, strict=True)
    return spearman(lams, values)


def _luck(rows: _Rows, sign: float) -> float | None:
    """The p-value of that ρ, promised to have this sign."""
    rho = _correlation(rows)
    if rho is None:
        return None
    lams, values, seeds = zip(*rows, strict=True)
    a, b = (_ranks(np.asarray(v, dtype=np.float64)) for v in (lams, values))
    a, b = a - a.mean(), (b - b.mean()) / math.sqrt(float(a.var() * b.var())) / len(a)
    drawn = np.concatenate([a[some] @ b for some in permutations(np.array(seeds, dtype=np.int64))])
    return upper_share(sign * rho, sign * drawn)
