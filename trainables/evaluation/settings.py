"""How trials are read: nothing here is part of a trial's identity, so all of it may change after training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from trainables.config import fingerprint
from trainables.evaluation.default_features import check_default, default_features
from trainables.evaluation.diagnostics import COSTS, DIAGNOSTICS
from trainables.evaluation.reading import PLAIN
from trainables.extractors import FeatureExtractor
from trainables.extractors.identity import Identity
from trainables.family import Config, at_most, positive, require
from trainables.metrics import Entry, Metric, everyday_metrics
from trainables.metrics.ends import ends_of
from trainables.refinements import Refinement
from trainables.refinements.obrs import Obrs

if TYPE_CHECKING:
    from trainables.datasets import Dataset

MOST_SAMPLES = 10**6
MOST_PROPOSALS = 10**8
"""Samples drawn of one trial; of points in the plane, a gigabyte."""
MOST_REPEATS = 16

_RESERVED = frozenset(entry.key for entry in (*COSTS, *DIAGNOSTICS))

__all__ = ["EvaluationConfig", "ReadingPlan"]


@dataclass(frozen=True)
class EvaluationConfig(Config):
    """``samples`` generated against as many real ones, compared by ``metrics`` in the space of ``features``.

    Attributes:
        samples: generated samples, and as many real ones, that are compared.
        k: neighbours of the k-NN metrics.
        every: iterations between evaluations in training; the last iteration is always evaluated.
        features: space in which samples are compared; left open, that which fits the data.
        metrics: what is measured; left open, the everyday metrics, as far as data and features allow them.
        intervals: whether every number of a final reading comes with the ends of its interval.
        repeats: sets of ``samples`` generated ones that a final reading is the mean over. Real ones are few where data
            is; of generated ones there are as many as one likes, and what they add to the noise falls with 1/repeats.
    """

    samples: int = 1000
    k: int = 3
    every: int = 500
    features: FeatureExtractor | None = None
    metrics: tuple[Metric, ...] | None = None
    intervals: bool = False
    repeats: int = 1

    def check(self) -> None:
        """Counts are positive, and every sample has a k-th neighbour."""
        for name in ("samples", "k", "every", "repeats"):
            positive(**{f"evaluation.{name}": getattr(self, name)})
        at_most(MOST_SAMPLES, **{"evaluation.samples": self.samples})
        at_most(MOST_REPEATS, **{"evaluation.repeats": self.repeats})
        largest = max((order for metric in self.chosen() for order in metric.orders(self.k)), default=self.k)
        require(
            self.samples > largest,
            f"evaluation.samples must exceed the neighbours that metrics look at, got {self.samples} samples "
            f"for {largest} neighbours (k={self.k}); use more samples or a smaller evaluation.k",
        )
        for metric in self.chosen():
            either, both = metric.least()
            least = max(either, -(-both // 2))
            require(
                self.samples >= least,
                f"metric '{metric.name}' needs at least {least} evaluation.samples, got {self.samples}; use more",
            )
        for metric in self.metrics or ():
            require(
                "logits" not in metric.needs or self.features is None or self.features.has_logits,
                f"metric '{metric.name}' needs class logits, which features '{self._named}' have not; "
                "use features classifier or inception, or leave it out",
            )
        keys = [entry.key for metric in self.chosen() for entry in metric.entries]
        for key in keys:
            require(
                re.fullmatch(r"[A-Za-z_][\w.-]*", key) is not None and key not in _RESERVED,
                f"a metric's key is letters, digits, '_', '.' and '-', and no name of a diagnostic, got '{key}'",
            )
        twice = next((key for key in keys if keys.count(key) > 1), None)
        require(twice is None, f"evaluation.metrics measures '{twice}' twice; name each metric once")

    @property
    def _named(self) -> str:
        return "left open" if self.features is None else self.features.name

    def chosen(self) -> tuple[Metric, ...]:
        """The metrics listed, or the everyday ones; while features are left open, all that there may come to be."""
        if self.metrics is not None:
            return self.metrics
        return everyday_metrics(logits=self.features is None or self.features.has_logits)

    def resolved(self, dataset: Dataset) -> EvaluationConfig:
        """The same with features, those that fit the dataset where they are left open."""
        return self if self.features is not None else replace(self, features=default_features(dataset))

    def entries(self) -> Iterator[Entry]:
        """What is measured, in the order of tables; then the ends of intervals, where there are any."""
        measured = [entry for metric in self.chosen() for entry in metric.entries]
        yield from measured
        for entry in measured if self.intervals else ():
            yield from ends_of(entry)

    def check_data(self, dataset: Dataset) -> None:
        """Refuse features and metrics that were asked for and can never be had from this data."""
        own, most = self.resolved(dataset), dataset.held_out_count
        require(
            most is None or self.samples <= most,
            f"evaluation.samples must be at most the {most} samples of dataset '{dataset.name}' that are held out from "
            f"training, got {self.samples}; use evaluation.samples: {most} or fewer",
        )
        if self.features is None:
            check_default(dataset)
        require(
            len(dataset.shape) == 3 or own.features is None or not own.features.only_images,
            f"features '{own._named}' are of images, and dataset '{dataset.name}' has points of shape "
            f"{dataset.shape}; use features identity",
        )
        require(
            own.features is None or not own.features.learns or (dataset.classes or 0) > 1,
            f"features '{own._named}' learn to tell classes apart, and dataset '{dataset.name}' has "
            f"{'one' if dataset.classes else 'none'}; use features identity or inception",
        )
        for metric in self.metrics or ():
            require(
                "law" not in metric.needs or dataset.has_law,
                f"metric '{metric.name}' needs the exact law of the data, which dataset '{dataset.name}' has not; "
                "leave it out",
            )

    def signature(self) -> list[object]:
        """What a number depends on: sizes, features and metrics, but not how often one looks.

        Features that are left open are those of points.
        """
        own = self if self.features is not None else replace(self, features=Identity())
        assert own.features is not None
        metrics = [metric.signature() for metric in own.chosen()]
        intervals = ["intervals"] if self.intervals else []
        repeats = [{"repeats": self.repeats}] if self.repeats > 1 else []
        return [self.samples, self.k, own.features.signature(), metrics, *intervals, *repeats]


@dataclass(frozen=True)
class ReadingPlan:
    """Everything that is read of a trained trial."""

    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    refinements: tuple[Refinement, ...] = (Obrs(),)

    def __post_init__(self) -> None:
        names = [refinement.name for refinement in self.refinements]
        twice = next((name for name in names if names.count(name) > 1), None)
        require(twice is None, f"refinement '{twice}' is listed twice; give its budgets in one entry")
        require(
            self.proposals() <= MOST_PROPOSALS,
            f"the largest budget K asks for {self.proposals():.3g} draws of every trial, of at most "
            f"{MOST_PROPOSALS:.0e}; use a smaller K or fewer evaluation.samples",
        )

    def of(self, dataset: Dataset) -> ReadingPlan:
        """The same for a dataset: with features that fit it where they are left open."""
        return replace(self, evaluation=self.evaluation.resolved(dataset))

    def readings(self) -> dict[tuple[str, float], str]:
        """Every reading that a trial should have, by (method, budget) → a fingerprint of all it depends on."""
        return {key: fingerprint([method, self.evaluation.signature()]) for key, method in self._methods()}

    def _methods(self) -> Iterator[tuple[tuple[str, float], object]]:
        yield PLAIN, None
        for refinement in self.refinements:
            for budget in refinement.asked():
                yield (refinement.name, budget), refinement.method_signature()

    def proposals(self) -> int:
        """Samples to draw of every trial at its final reading."""
        samples = self.evaluation.samples
        return max((r.proposals(samples) for r in self.refinements), default=samples)

    def catalogue(self) -> tuple[Entry, ...]:
        """All numbers that a trial may come to have, metrics first."""
        return (*self.evaluation.entries(), *COSTS, *DIAGNOSTICS)

    def methods(self) -> dict[str, str]:
        """What each refinement does, in one sentence."""
        return {refinement.name: refinement.summary() for refinement in self.refinements}

    def out_of_reach(self, dataset: Dataset) -> dict[str, str]:
        """Goals that trials on this data never come to have → what is missing."""
        features = self.evaluation.resolved(dataset).features
        assert features is not None
        lacks = {
            "law": None if dataset.has_law else "the exact law of the data",
            "logits": None if features.has_logits else "features with class logits",
        }
        return {
            entry.key: missing
            for metric in self.evaluation.chosen()
            for need in metric.needs
            if (missing := lacks.get(need))
            for entry in metric.entries
        }

    def goals(self) -> list[str]:
        """Keys that a sweep can strive for."""
        return [entry.key for metric in self.evaluation.chosen() for entry in metric.entries]
