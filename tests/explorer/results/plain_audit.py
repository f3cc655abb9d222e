"""The λ audit by its definition, trial by trial and group by group: what the quick one has to agree with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from explorer.results.catalogue import BASE, LAMBDA
from explorer.results.inertness import inertness
from explorer.results.lambda_columns import lambda_of
from explorer.results.permutation import permutations, upper_share
from explorer.results.promise import ONE_SIDED, levels_of
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import TRADE_OFFS, At

__all__ = ["plain_audit"]


def plain_audit(table: TrialTable, at: At) -> list[dict[str, Any]]:
    """The groups as ``LambdaGroup.as_dict`` has them, without names."""
    audited = [trial for trial in table if trial.status == "finished" and lambda_of(trial) is not None]
    pooled = _scattered(audited)
    groups: dict[object, list[Trial]] = {}
    for trial in audited:
        key = frozenset(
            (path, value)
            for path, value in trial.params.items()
            if path not in ("seed", BASE, LAMBDA, *pooled)
        )
        groups.setdefault(key, []).append(trial)
    return [_group(trials, at) for trials in groups.values()]


def _scattered(trials: Sequence[Trial]) -> list[str]:
    points = {trial.point() for trial in trials}
    seen: dict[str, set[float]] = {}
    for point in points:
        for path, _, value in point:
            if isinstance(value, int | float) and not isinstance(value, bool) and path != LAMBDA:
                seen.setdefault(path, set()).add(value)
    return [path for path, values in seen.items() if len(values) > max(3, len(points) / 2)]


def _group(trials: Sequence[Trial], at: At) -> dict[str, Any]:
    seeds = sorted({trial.seed for trial in trials if trial.seed is not None})
    known = [trial for trial in trials if trial.alphas and _lam(trial) > 0]
    return {
        "lambdas": sorted({_lam(trial) for trial in trials}),
        "seeds": seeds,
        "trials": len(trials),
        "precision": _rho(trials, "precision", at),
        "recall": _rho(trials, "recall", at),
        "by_seed": {
            str(seed): {
                metric: _rho([t for t in trials if t.seed == seed], metric, at)
                for metric in ("precision", "recall")
            }
            for seed in seeds
        },
        "p": {"precision": _luck(trials, "precision", at, 1), "recall": _luck(trials, "recall", at, -1)},
        "own_lambda": _own(known),
        "alphas_unknown": len(trials) - len(known),
        "inert": [trial.id for trial in trials if inertness(trial)],
    }


def _lam(trial: Trial) -> float:
    lam = lambda_of(trial)
    assert lam is not None
    return lam


def _read(trials: Sequence[Trial], metric: str, at: At) -> list[tuple[float, float, int]]:
    """(λ, value, seed) of those that have the metric."""
    return [
        (_lam(trial), trial.at(at)[metric], -1 if trial.seed is None else trial.seed)
        for trial in trials
        if metric in trial.at(at)
    ]


def _rho(trials: Sequence[Trial], metric: str, at: At) -> float | None:
    rows = _read(trials, metric, at)
    lams, values = [row[0] for row in rows], [row[1] for row in rows]
    if len(set(lams)) < 3 or len(set(values)) < 2:
        return None
    return float(spearmanr(lams, values).statistic)


def _luck(trials: Sequence[Trial], metric: str, at: At, sign: int) -> float | None:
    rho = _rho(trials, metric, at)
    if rho is None:
        return None
    lams, values, seeds = (np.array(column) for column in zip(*_read(trials, metric, at), strict=True))
    drawn = [spearmanr(lams[row], values).statistic for rows in permutations(seeds) for row in rows]
    return upper_share(sign * rho, sign * np.array(drawn))


def _own(trials: Sequence[Trial]) -> dict[str, Any] | None:
    trials = [trial for trial in trials if TRADE_OFFS[0] <= _lam(trial) <= TRADE_OFFS[-1]]
    if len({_lam(trial) for trial in trials}) < 2:
        return None
    levels, level = levels_of([_lam(trial) for trial in trials])
    shares = np.stack([np.interp(levels, TRADE_OFFS, t.alphas) for t in trials]) / np.minimum(1, levels)
    means = np.stack([shares[level == row].mean(axis=0) for row in range(len(levels))])
    regret = means.max(axis=0) - means.diagonal()
    best = np.where(regret > 0, means.argmax(axis=0), np.arange(len(levels)))
    seeds = np.array([-1 if trial.seed is None else trial.seed for trial in trials])
    above = shares - shares.mean(axis=0)
    places = range(len(trials))
    gain = float(np.mean([above[i, level[i]] for i in places]))
    drawn = [above[places, level[row]].mean() for rows in permutations(seeds) for row in rows]
    return {
        "levels": list(levels),
        "shares": means.tolist(),
        "best": [levels[i] for i in best],
        "regret": regret.tolist(),
        "within_noise": [_within(shares[:, i], level, i, other, seeds) for i, other in enumerate(best)],
        "own_best": sum(other == i for i, other in enumerate(best)),
        "gain": gain,
        "p": upper_share(gain, np.array(drawn)),
    }


def _within(values: np.ndarray, level: np.ndarray, own: int, other: int, seeds: np.ndarray) -> bool | None:
    if own == other:
        return True
    apart = []
    for seed in np.unique(seeds):
        pair = [values[(level == one) & (seeds == seed)] for one in (other, own)]
        if all(len(part) for part in pair):
            apart.append(pair[0].mean() - pair[1].mean())
    if len(apart) < 2:
        return None
    error = np.std(apart, ddof=1) / math.sqrt(len(apart))
    return bool(np.mean(apart) <= ONE_SIDED.get(len(apart), 1.7) * error)
