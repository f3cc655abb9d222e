"""Optuna behind ask and tell, with a study that outlives the process."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import optuna
from optuna.trial import TrialState

from explorer.goals import Goal
from explorer.search.points.source import Asked, Chosen, PointSource
from explorer.search.points.studies import open_study, reaching
from explorer.search.search import Study
from explorer.sweep.space import Space

__all__ = ["OptunaSource", "nsga2_sampler", "tpe_sampler"]

_POINT = "tradeoff.point"


@dataclass(frozen=True)
class _TrialChooser:
    """Suggestions of one Optuna trial."""

    trial: optuna.Trial

    def choice(self, name: str, options: Sequence[str]) -> str:
        """A categorical suggestion."""
        return str(self.trial.suggest_categorical(name, list(options)))

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        """A numeric suggestion."""
        if whole:
            return float(self.trial.suggest_int(name, round(low), round(high), log=log))
        return self.trial.suggest_float(name, low, high, log=log)


def tpe_sampler(seed: int, points: int) -> optuna.samplers.BaseSampler:
    """Parzen estimators over all axes jointly; points still running count as bad, so that they are not repeated."""
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    return optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True, constant_liar=True)


def nsga2_sampler(seed: int, points: int) -> optuna.samplers.BaseSampler:
    """NSGA-II with a population that lets some generations pass within so many points."""
    return optuna.samplers.NSGAIISampler(seed=seed, population_size=min(50, max(4, points // 4)))


class OptunaSource(PointSource):
    """A sampler of Optuna over the sweep's objectives, each with its direction.

    Points of an earlier run are handed out again, in their order, before new ones are asked: their trials are known
    to be over or are still to be trained, and the count of trials comes out as in an undisturbed run.
    """

    def __init__(
        self,
        space: Space,
        sampler: Callable[[int], optuna.samplers.BaseSampler],
        count: int,
        goals: Sequence[Goal],
        study: Study,
    ) -> None:
        """``sampler`` makes one, given how many points are known already."""
        self._space = space
        self._goals = goals
        self.total = count
        self._place = study
        self._study = open_study(study, goals)
        with reaching(study):
            kept = self._study.get_trials(deepcopy=False)
            # Asked by a process that died before it noted the point.
            for lost in (t for t in kept if t.state == TrialState.RUNNING and _POINT not in t.user_attrs):
                self._study.tell(lost.number, state=TrialState.FAIL)
        known = [t for t in kept if _POINT in t.user_attrs]
        self._asked = len(known)
        self._told = {t.number for t in known if t.state.is_finished()}
        # A sampler seeded alike would draw after a restart what it drew before it.
        self._study.sampler = sampler(len(known))
        self._replay = [Asked(t.number, json.loads(t.user_attrs[_POINT])) for t in known][:count]

    @property
    def over(self) -> bool:
        """All were asked for."""
        return not self._replay and self._asked >= self.total

    def ask(self, count: int) -> Chosen:
        """First those of an earlier run, told or not, then new suggestions."""
        chosen, self._replay = self._replay[:count], self._replay[count:]
        while len(chosen) < count and self._asked < self.total:
            with reaching(self._place):
                trial = self._study.ask()
                point = self._space.choose(_TrialChooser(trial))
                trial.set_user_attr(_POINT, json.dumps(point))
            chosen.append(Asked(trial.number, point))
            self._asked += 1
        return chosen

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:
        """Mean over seeds of every objective; a point without a finite value of each is a failure. Told once."""
        if number in self._told:
            return
        seen = [
            [r[goal.metric] for r in repeats if math.isfinite(r.get(goal.metric, math.nan))]
            for goal in self._goals
        ]
        with reaching(self._place):
            if all(seen):
                self._study.tell(number, [fmean(values) for values in seen])
            else:
                self._study.tell(number, state=TrialState.FAIL)
        self._told.add(number)
