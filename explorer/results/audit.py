"""The λ audit: does λ do what the theory of the PR-divergence promises?

Training on D_λ maximises α_λ = ∫ min(λp, q) = min(1, λ) - D_λ(P‖Q), the precision at slope λ of the PR curve
(Vérine, thesis, ch. 4). So of all models of a group the one trained at λ should have the largest α_λ
(``explorer/results/promise.py``). A large λ asks for precision, a small one for recall: over a sweep that shows as a
rank correlation of λ with precision near +1 and with recall near -1 (``explorer/results/lambda_order.py``). Both come
with the share of permutations of λ within seeds that would look as good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.results.catalogue import LAMBDA
from explorer.results.columns import Columns
from explorer.results.correlation import spearman
from explorer.results.inertness import INERT, WAYS, inertness, ways_of
from explorer.results.lambda_columns import alphas_of, lambda_groups, lambda_of, lambdas_of, point_without
from explorer.results.lambda_order import ENOUGH, LambdaOrder, lambda_order
from explorer.results.naming import Naming
from explorer.results.promise import OwnLambda, own_lambda
from explorer.results.table import Scalar, TrialTable
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

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


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


def audit_lambda(trials: TrialTable | Columns, at: At = PLAIN, rows: Mask | None = None) -> LambdaAudit:
    """What λ does at one reading, per group of the finished trials with a λ; of those in ``rows`` (N,), if given.

    O(trials log trials) over all groups, and per group of n trials at most 999 permutations of O(n log n), which groups
    of one design share.
    """
    columns = trials if isinstance(trials, Columns) else Columns(trials)
    audited = columns.finished & ~np.isnan(lambdas_of(columns))
    members = np.flatnonzero(audited if rows is None else audited & rows)
    pooled = _scattered(columns, members)
    groups, group = _grouped(lambda_groups(columns, pooled)[members])
    order = np.argsort(group, kind="stable")
    members, group = members[order], group[order]
    parts = np.split(members, np.searchsorted(group, np.arange(1, groups))) if groups else []
    left_out = frozenset((LAMBDA, *pooled))
    points = [
        {path: value for path, _, value in point_without(columns.trials[part[0]], left_out)} for part in parts
    ]
    naming = Naming.of(points)
    lambdas, seeds = lambdas_of(columns)[members], columns.seeds[members]
    precision, recall = (
        lambda_order(lambdas, columns.metric(metric, at)[members], seeds, group, groups, sign)
        for metric, sign in (("precision", 1.0), ("recall", -1.0))
    )
    # Models are compared as they are: what was found holds for the same trials at any reading.
    owns = columns.remembered(("own λ", members.tobytes()), lambda: [_own(columns, part) for part in parts])
    found = tuple(
        _group(columns, part, point, naming, pooled, (precision, recall), place, own)
        for place, (part, point, own) in enumerate(zip(parts, points, owns, strict=True))
    )
    return LambdaAudit(found, at, columns.reading_words(at))


def _grouped(codes: Codes) -> tuple[int, Codes]:
    """How many codes there are, and which of them each is (n,), numbered as they come."""
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return len(first), place[which]


def _scattered(columns: Columns, members: Codes) -> tuple[str, ...]:
    """Parameters beside λ whose values hardly ever come again: a search drew them from a continuum.

    Grouped by them, every trial would stand alone. A parameter is one of them if it has more distinct numbers than half
    of the points that were tried.
    """
    _, first = np.unique(columns.configurations[members], return_index=True)
    points = [columns.trials[row].params for row in members[first]]
    most = max(ENOUGH, len(points) / 2)
    return tuple(
        path
        for path in columns.varying  # one value is never too many
        if path not in (LAMBDA, "seed") and len(_numbers(points, path)) > most
    )


def _numbers(points: Sequence[Mapping[str, Scalar]], path: str) -> set[float]:
    values = (point.get(path) for point in points)
    return {value for value in values if isinstance(value, int | float) and not isinstance(value, bool)}


def _group(
    columns: Columns,
    members: Codes,
    point: Mapping[str, Scalar],
    naming: Naming,
    pooled: tuple[str, ...],
    orders: tuple[LambdaOrder, LambdaOrder],
    place: int,
    own: OwnLambda | None,
) -> LambdaGroup:
    lambdas, seeds = lambdas_of(columns)[members], columns.seeds[members]
    ways, known = ways_of(columns)[members], _known(columns, members)
    distinct = np.unique(seeds[seeds >= 0]).tolist()
    precision, recall = orders
    return LambdaGroup(
        params={path: value for path, value in point.items() if path in naming.headings},
        name=naming.name(point),
        ids=tuple(columns.ids[row] for row in members),
        lambdas=tuple(np.unique(lambdas).tolist()),
        seeds=tuple(distinct),
        precision=precision.rho[place],
        recall=recall.rho[place],
        by_seed={s: (precision.by_seed[place].get(s), recall.by_seed[place].get(s)) for s in distinct},
        inert=tuple(columns.ids[row] for row in members[ways > 0]),
        chance=(precision.chance(place), recall.chance(place)),
        own=own,
        unread=len(members) - int(known.sum()),
        inert_at=_inert_at(lambdas, ways) if ways.any() else {},
        pooled=tuple(p for p in pooled if any(p in columns.trials[row].params for row in members)),
    )


def _known(columns: Columns, members: Codes) -> Mask:
    """Which trials tell α_λ, and have a λ at which it can be asked for."""
    found: Mask = ~np.isnan(alphas_of(columns)[members, 0]) & (lambdas_of(columns)[members] > 0)
    return found


def _own(columns: Columns, members: Codes) -> OwnLambda | None:
    known = members[_known(columns, members)]
    return own_lambda(lambdas_of(columns)[known], alphas_of(columns)[known], columns.seeds[known])


def _inert_at(lambdas: NDArray[np.float64], ways: NDArray[np.int8]) -> dict[float, tuple[int, int, str]]:
    told = {}
    for lam in np.unique(lambdas[ways > 0]).tolist():
        found = ways[lambdas == lam]
        names = sorted({str(WAYS[way]) for way in found[found > 0]})
        told[lam] = (int((found > 0).sum()), len(found), " or ".join(names))
    return told
