"""Suggestions of Optuna's samplers. The study is in memory; what it must know after a restart is kept by number."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseGASampler, BaseSampler, NSGAIIISampler, NSGAIISampler, RandomSampler
from optuna.trial import TrialState

from explorer.search.points.dice import Dice, seed_of
from explorer.search.points.memo import Tried
from explorer.search.points.suggested import Suggester
from explorer.sweep.axes import Chooser, Point
from explorer.sweep.space import Space

if TYPE_CHECKING:
    from explorer.search.optuna_search import OptunaSearch

__all__ = ["Sampled", "gp_sampler", "nsga2_sampler", "nsga3_sampler", "tpe_sampler"]


def tpe_sampler(seed: int, startup: int) -> BaseSampler:
    """Parzen estimators over all axes jointly; points still running count as bad, so that they are not repeated."""
    return optuna.samplers.TPESampler(
        seed=seed, multivariate=True, group=True, constant_liar=True, n_startup_trials=startup
    )


def gp_sampler(seed: int, startup: int) -> BaseSampler:
    """Gaussian processes, the points that run taken into account; by torch, inside Optuna."""
    draws = RandomSampler(seed=seed_of("independent", seed))
    return optuna.samplers.GPSampler(
        seed=seed, n_startup_trials=startup, independent_sampler=draws, warn_independent_sampling=False
    )


class _Mutating:
    """A genetic sampler of one suggestion. Optuna seeds the draws that mutate a gene like those that decide whether it
    mutates: of the first numbers of a stream the one would be a function of the other."""

    draws: RandomSampler

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: BaseDistribution) -> Any:
        """As Optuna does, from a stream of its own."""
        return self.draws.sample_independent(study, trial, name, distribution)


class _Nsga2(_Mutating, NSGAIISampler):
    pass


class _Nsga3(_Mutating, NSGAIIISampler):
    pass


def nsga2_sampler(seed: int, population: int) -> BaseSampler:
    """NSGA-II (Deb et al. 2002): generations of so many points."""
    made = _Nsga2(seed=seed, population_size=population)
    made.draws = RandomSampler(seed=seed_of("mutation", seed))
    return made


def nsga3_sampler(seed: int, population: int) -> BaseSampler:
    """NSGA-III (Deb and Jain 2014): the same, spread by directions of the objectives."""
    made = _Nsga3(seed=seed, population_size=population)
    made.draws = RandomSampler(seed=seed_of("mutation", seed))
    return made


@contextmanager
def _quietly() -> Iterator[None]:
    """Optuna says of most samplers that they are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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


@dataclass(frozen=True)
class _Said:
    """Chooses what was said; what was not, or no longer fits, is drawn. Notes all that Optuna must know of it."""

    said: Mapping[str, Any]
    dice: Chooser
    params: dict[str, Any] = field(default_factory=dict)
    distributions: dict[str, BaseDistribution] = field(default_factory=dict)

    def choice(self, name: str, options: Sequence[str]) -> str:
        """One of the options."""
        value = self.said.get(name)
        chosen = str(value) if value in options else self.dice.choice(name, options)
        self.params[name] = chosen
        self.distributions[name] = CategoricalDistribution(list(options))
        return chosen

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        """A number of the interval."""
        value = self.said.get(name)
        inside = isinstance(value, int | float) and low <= value <= high
        chosen = (
            float(value) if inside and value is not None else self.dice.number(name, low, high, log, whole)
        )
        self.params[name] = round(chosen) if whole else chosen
        self.distributions[name] = (
            IntDistribution(round(low), round(high), log=log)
            if whole
            else FloatDistribution(low, high, log=log)
        )
        return chosen


class Sampled(Suggester):
    """A sampler of Optuna over the sweep's objectives, each with its direction, and its constraints.

    A new sampler makes every suggestion, seeded by the search's seed and the number. What Optuna writes on trial and
    study meanwhile (the generation, its parents) is kept with the point.
    """

    def __init__(self, space: Space, search: OptunaSearch) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space = space
        self._search = search
        self._goals = search.goals()
        self._bounds = search.bounds()
        self._choose = space.choose_everywhere if search.everywhere else space.choose
        self._storage = optuna.storages.InMemoryStorage()
        with _quietly():
            self._study = optuna.create_study(
                storage=self._storage,
                sampler=search.sampler(seed_of(search.seed)),
                directions=["minimize" if goal.direction == "min" else "maximize" for goal in self._goals],
            )
        self._id = self._storage.get_study_id_from_name(self._study.study_name)
        self._before = 0
        self._replayed = False

    def begin(self, earlier: Sequence[Tried]) -> None:
        """Completed points before number 0; of a genetic search they belong to the first generation."""
        told = [one for one in earlier if self._values([one.metrics]) is not None]
        self._before = len(told)
        for index, one in enumerate(told):
            self.place(index - len(told), one.point, {})
        for index, one in enumerate(told):
            self.tell(index - len(told), [one.metrics])

    def suggest(self, number: int) -> tuple[Point, dict[str, Any]]:
        """By a new sampler, which knows what it is seeded with and the study."""
        self._orphan()
        before = dict(self._storage.get_study_system_attrs(self._id))
        with _quietly():
            self._study.sampler = self._search.sampler(seed_of(self._search.seed, number))
            trial = self._study.ask()
            point = self._choose(_TrialChooser(trial))
        said = self._space.spelled(point) or {}
        kept = {
            "dormant": {name: value for name, value in trial.params.items() if name not in said},
            "trial": dict(self._storage.get_trial(self._trial(number)).system_attrs),
            "study": {
                key: value
                for key, value in self._storage.get_study_system_attrs(self._id).items()
                if key not in before
            },
        }
        return point, {key: value for key, value in kept.items() if value}

    def place(self, number: int, point: Point, extra: dict[str, Any]) -> dict[str, Any]:
        """The point as one that runs, under the axes of today."""
        dice = Dice(seed_of("dormant", self._search.seed, number))
        said = _Said({**extra.get("dormant", {}), **(self._space.spelled(point) or {})}, dice)
        self._choose(said)
        self._study.add_trial(
            optuna.create_trial(
                state=TrialState.RUNNING,
                params=said.params,
                distributions=said.distributions,
                system_attrs=extra.get("trial", {}),
            )
        )
        for key, value in extra.get("study", {}).items():
            self._storage.set_study_system_attr(self._id, key, value)
            self._replayed = True
        sampler = self._study.sampler
        if isinstance(sampler, BaseGASampler) and not extra:
            trial = self._storage.get_trial(self._trial(number))
            sampler.get_trial_generation(self._study, trial)
            return {"trial": dict(self._storage.get_trial(self._trial(number)).system_attrs)}
        return extra

    def skip(self, number: int) -> None:
        """A failure, so that numbers stay what they are."""
        self._study.add_trial(optuna.create_trial(state=TrialState.FAIL))

    def _orphan(self) -> None:
        """Parents chosen before a restart that lie outside the space by now, or failed when tried again, are none.

        A child has two: where fewer are left, that generation is drawn at random.
        """
        if self._replayed:
            over = self._study.get_trials(deepcopy=False)
            for key, value in self._storage.get_study_system_attrs(self._id).items():
                if isinstance(value, list):
                    held = [one for one in value if over[one].state == TrialState.COMPLETE]
                    self._storage.set_study_system_attr(self._id, key, held if len(held) > 1 else [])
            self._replayed = False

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:
        """Means over seeds; a point without a finite value of every objective and every constraint is a failure."""
        values = self._values(repeats)
        trial = self._trial(number)
        index = self._storage.get_trial_number_from_id(trial)
        with _quietly():
            if values is None:
                self._study.tell(index, state=TrialState.FAIL)
                return
            for bound in self._bounds:  # as Trial.set_constraint writes it
                key = f"constraints:{bound.metric}"
                self._storage.set_trial_system_attr(trial, key, bound.excess(values[bound.metric]))
            self._study.tell(index, [values[goal.metric] for goal in self._goals])

    def _values(self, repeats: Sequence[Mapping[str, float]]) -> dict[str, float] | None:
        """The mean of every metric that counts; None if one is missing."""
        found: dict[str, float] = {}
        for metric in (*(goal.metric for goal in self._goals), *(bound.metric for bound in self._bounds)):
            seen = [one[metric] for one in repeats if math.isfinite(one.get(metric, math.nan))]
            if not seen:
                return None
            found[metric] = fmean(seen)
        return found

    def _trial(self, number: int) -> int:
        """Optuna's name of a number: what was tried elsewhere comes first."""
        return self._storage.get_trial_id_from_study_id_trial_number(self._id, number + self._before)
