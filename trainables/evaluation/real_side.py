"""The real side of all measures: points, their features, and what is computed from them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from trainables.datasets import Dataset
from trainables.evaluation.apart import apart
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors import FeatureExtractor
from trainables.features.extractor import Features, extract
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs
from trainables.sources.source import Source

__all__ = ["RealSide", "real_side"]

_BATCH = 1024


class RealSide:
    """Real samples (n, *shape) in the space of an extractor, on a device; shared by all trials of a dataset.

    Attributes:
        points: the real samples, on the CPU.
        features: of them (n, d), on the device.
    """

    def __init__(
        self,
        source: Source,
        extractor: FeatureExtractor,
        samples: int,
        device: torch.device | str = "cpu",
    ) -> None:
        self.source = source.to(device)
        self.points, labels = source.reference(samples)
        self._span = source.span or (float(self.points.min()), float(self.points.max()))
        self._extractor = extractor.build(self._as_images(self.points), labels, _cache())
        self.features = self.embed(self.points.to(device)).values
        self._known: dict[str, Mapping[str, Tensor]] = {}

    def _as_images(self, points: Tensor) -> Tensor:
        """Images from black to white become 0 to 1; without a word of the source, real ones tell what these are."""
        if points.ndim != 4:
            return points
        low, high = self._span
        return ((points - low) / max(high - low, 1e-12)).clamp(0.0, 1.0)

    def embed(self, points: Tensor) -> Features:
        """Features (n, d) of samples (n, *shape), and logits where the extractor has them."""
        images = self._as_images(points) if self._extractor.images else points
        return extract(self._extractor, images.split(_BATCH), points.device)

    def _remember(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        if part not in self._known:
            self._known[part] = compute()
        return self._known[part]

    def measure(
        self, evaluation: EvaluationConfig, sets: Sequence[Tensor]
    ) -> list[dict[str, float] | Exception]:
        """Every metric of each set of generated samples (m, *shape), or what kept it from being measured.

        Sets of equal size are measured together.
        """
        found: dict[int, dict[str, float] | Exception] = {}
        for size in sorted({len(points) for points in sets}):
            rows = [index for index, points in enumerate(sets) if len(points) == size]
            results = apart(
                rows, lambda some: self._measure(evaluation, torch.stack([sets[i] for i in some]))
            )
            found |= dict(zip(rows, results, strict=True))
        return [found[index] for index in range(len(sets))]

    def _measure(self, evaluation: EvaluationConfig, fake: Tensor) -> list[dict[str, float]]:
        """Every metric of generated samples (B, m, *shape)."""
        metrics = evaluation.chosen()
        pairs = self._pairs(evaluation, fake)
        found: list[dict[str, float]] = [{} for _ in fake]
        for metric in metrics:
            for own, scores in zip(found, metric.measure_all(pairs), strict=True):
                if scores.left_out is not None and evaluation.metrics is not None:
                    raise ValueError(f"metric '{metric.name}' was asked for, but {scores.left_out}")
                own.update(scores.values)
        return found

    def _pairs(self, evaluation: EvaluationConfig, fake: Tensor) -> Pairs:
        embedded = self.embed(fake.flatten(0, 1))
        values = embedded.values.unflatten(0, fake.shape[:2])
        if not bool(torch.isfinite(values).all()):
            raise ValueError(
                f"features '{evaluation.features.name}' of generated samples are not finite; their extractor cannot "
                "take such samples"
            )
        metrics = evaluation.chosen()
        one = Pair(
            real=self.features,
            fake=values[0],
            k=evaluation.k,
            orders=tuple(sorted({order for metric in metrics for order in metric.orders(evaluation.k)})),
            law=self.source.law,
            remember=self._remember,
        )
        logits = None if embedded.logits is None else embedded.logits.unflatten(0, fake.shape[:2])
        return Pairs(one, values, fake, logits)


def _cache() -> Path:
    """Where an extractor that has to learn keeps what it learned, on the machine it runs on."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tradeoff-explorer"


@lru_cache(maxsize=8)
def real_side(
    dataset: Dataset, extractor: FeatureExtractor, samples: int, device: torch.device | str = "cpu"
) -> RealSide:
    """The real side of a dataset, made once in a process and for a device."""
    return RealSide(dataset.source(), extractor, samples, device)
