"""The real side of all measures: points, their features, and what is computed from them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from torch import Tensor

from trainables.datasets import Dataset
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors import FeatureExtractor
from trainables.features.extractor import Features, extract
from trainables.metrics.pair import Pair
from trainables.sources.source import Source

__all__ = ["RealSide", "real_side"]

_BATCH = 1024


class RealSide:
    """Real samples (n, *shape) in the space of an extractor; shared by all trials of a dataset."""

    def __init__(self, source: Source, extractor: FeatureExtractor, samples: int) -> None:
        self.source = source
        self.points, labels = source.reference(samples)
        images = self._as_images(self.points)
        self._extractor = extractor.build(images, labels, _cache())
        self.features = self.embed(self.points).values
        self._known: dict[str, Mapping[str, Tensor]] = {}

    def _as_images(self, points: Tensor) -> Tensor:
        """Images from black to white become 0 to 1; without a word of the source, real ones tell what these are."""
        if points.ndim != 4:
            return points
        low, high = self.source.span or (float(self.points.min()), float(self.points.max()))
        return ((points - low) / max(high - low, 1e-12)).clamp(0.0, 1.0)

    def embed(self, points: Tensor) -> Features:
        """Features (n, d) of samples (n, *shape), and logits where the extractor has them."""
        images = self._as_images(points) if self._extractor.images else points
        return extract(self._extractor, images.split(_BATCH), points.device)

    def _remember(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        if part not in self._known:
            self._known[part] = compute()
        return self._known[part]

    def measure(self, evaluation: EvaluationConfig, fake: Tensor) -> dict[str, float]:
        """Every metric of generated samples (m, *shape)."""
        metrics = evaluation.chosen()
        embedded = self.embed(fake)
        pair = Pair(
            real=self.features,
            fake=embedded.values,
            logits=embedded.logits,
            k=evaluation.k,
            orders=tuple(sorted({order for metric in metrics for order in metric.orders(evaluation.k)})),
            points=fake,
            law=self.source.law,
            remember=self._remember,
        )
        found: dict[str, float] = {}
        for metric in metrics:
            scores = metric.measure(pair)
            if scores.left_out is not None and evaluation.metrics is not None:
                raise ValueError(f"metric '{metric.name}' was asked for, but {scores.left_out}")
            found |= scores.values
        return found


def _cache() -> Path:
    """Where an extractor that has to learn keeps what it learned, on the machine it runs on."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tradeoff-explorer"


@lru_cache(maxsize=8)
def real_side(dataset: Dataset, extractor: FeatureExtractor, samples: int) -> RealSide:
    """The real side of a dataset, made once in a process."""
    return RealSide(dataset.source(), extractor, samples)
