"""The real side of all measures: points, their features, and what is computed from them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path

import torch
from torch import Tensor

from trainables.datasets import Dataset
from trainables.evaluation.apart import apart
from trainables.evaluation.closer_look import CloserLook
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors import FeatureExtractor
from trainables.features.extractor import Extractor, Features, extract
from trainables.features.store import ReferenceKey, ReferenceStore
from trainables.metrics.ends import DRAWS, with_ends
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs
from trainables.sources.source import Batch, Source

__all__ = ["RealSide", "real_side"]

_BATCH = 1024


class RealSide:
    """Real samples (n, *shape) in the space of an extractor, on a device; shared by all trials of a dataset.

    Attributes:
        points: the real samples, on the CPU.
        labels: their classes, where they have some.
        span: what black and white are, of images.
        features: of them (n, d), on the device.
        logits: of them (n, classes), where the extractor has them.
    """

    def __init__(
        self,
        source: Source,
        extractor: FeatureExtractor,
        samples: int,
        device: torch.device | str = "cpu",
    ) -> None:
        self.source = source.to(device)
        self.points, self.labels = source.reference(samples)
        self.span = source.span or (float(self.points.min()), float(self.points.max()))
        learnt = source.labelled(extractor.learns) if extractor.learns else None
        x, y = learnt or Batch(self.points, self.labels)
        given = self._as_images(x.to(device)), None if y is None else y.to(device)
        self._extractor = extractor.build(*given, _cache())
        self._device = torch.device(device)
        self._known: dict[str, Mapping[str, Tensor]] = {}
        images = self.points.ndim == 4  # points are cheap
        self._kept = Kept.of(self.points, self.span, self._extractor, _cache()) if images else None
        embedded = self._remember("features", self._embedded)
        self.features, self.logits = embedded["features"], embedded.get("logits")

    @cached_property
    def digest(self) -> str | None:
        """The digest of all the data, seen and unseen; None of data that is drawn afresh."""
        return self.source.digest()

    def _embedded(self) -> dict[str, Tensor]:
        found = self.embed(self.points.to(self._device))
        return {"features": found.values} | ({} if found.logits is None else {"logits": found.logits})

    def _as_images(self, points: Tensor) -> Tensor:
        """Images from black to white become 0 to 1; without a word of the source, real ones tell what these are."""
        if points.ndim != 4:
            return points
        low, high = self.span
        return ((points - low) / max(high - low, 1e-12)).clamp(0.0, 1.0)

    def embed(self, points: Tensor) -> Features:
        """Features (n, d) of samples (n, *shape), and logits where the extractor has them."""
        images = self._as_images(points) if self._extractor.images else points
        return extract(self._extractor, images.split(_BATCH), points.device)

    def _remember(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        """A statistic of the real side: computed once in this process and, of images, once on this machine."""
        if part not in self._known:
            found = compute() if self._kept is None else self._kept.get(part, compute)
            self._known[part] = {name: tensor.to(self._device) for name, tensor in found.items()}
        return self._known[part]

    def closer_look(self, sets: Collection[int]) -> CloserLook:
        """One at some of the sets that will be measured, by their numbers."""
        return CloserLook(sets, self.points, self.span, self._extractor.name)

    def measure(
        self,
        evaluation: EvaluationConfig,
        sets: Sequence[Tensor],
        final: bool = False,
        look: CloserLook | None = None,
    ) -> list[dict[str, float] | Exception]:
        """Every metric of each set of generated samples (m, *shape), or what kept it from being measured.

        Sets of equal size are measured together. Intervals come with ``final`` readings, if they are asked for. A
        ``look`` is taken at what was measured, while its features are there.
        """
        found: dict[int, dict[str, float] | Exception] = {}
        for size in sorted({len(points) for points in sets}):
            rows = [index for index, points in enumerate(sets) if len(points) == size]
            results = apart(rows, lambda some: self._measure(evaluation, sets, some, final, look))
            found |= dict(zip(rows, results, strict=True))
        return [found[index] for index in range(len(sets))]

    def _measure(
        self,
        evaluation: EvaluationConfig,
        sets: Sequence[Tensor],
        some: Sequence[int],
        final: bool,
        look: CloserLook | None,
    ) -> list[dict[str, float]]:
        """Every metric of ``some`` of the sets, all of one size."""
        fake = torch.stack([sets[i] for i in some])  # (B, m, *shape)
        intervals = final and evaluation.intervals
        pairs = self._pairs(evaluation, fake, DRAWS if intervals else 0)
        alone = list(pairs.one_by_one()) if intervals else []  # intervals are made for one pair at a time
        found: list[dict[str, float]] = [{} for _ in fake]
        for metric in evaluation.chosen():
            every = [metric.measure(pair) for pair in alone] if intervals else metric.measure_all(pairs)
            for own, scores in zip(found, every, strict=True):
                if scores.left_out is not None and evaluation.metrics is not None:
                    raise ValueError(f"metric '{metric.name}' was asked for, but {scores.left_out}")
                own.update(with_ends(scores))
        if look is not None:
            look.take(pairs, some)
        return found

    def _pairs(self, evaluation: EvaluationConfig, fake: Tensor, draws: int) -> Pairs:
        embedded = self.embed(fake.flatten(0, 1))
        values = embedded.values.unflatten(0, fake.shape[:2])
        if not bool(torch.isfinite(values).all()):
            raise ValueError(
                f"features '{self._extractor.name}' of generated samples are not finite; their extractor cannot "
                "take such samples"
            )
        metrics = evaluation.chosen()
        one = Pair(
            real=self.features,
            fake=values[0],
            k=evaluation.k,
            orders=tuple(sorted({order for metric in metrics for order in metric.orders(evaluation.k)})),
            law=self.source.law,
            real_logits=self.logits,
            draws=draws,
            remember=self._remember,
        )
        logits = None if embedded.logits is None else embedded.logits.unflatten(0, fake.shape[:2])
        return Pairs(one, values, fake, logits)


@dataclass(frozen=True, eq=False)
class Kept:
    """Statistics of real images on disk, where all processes of a machine find them.

    Named by the images themselves, black and white, and the extractor: nothing that is found there can be out of date.
    """

    store: ReferenceStore
    data: str
    extractor: str
    samples: int

    @staticmethod
    def of(images: Tensor, span: tuple[float, float], extractor: Extractor, cache: Path) -> Kept:
        """Of images (n, c, h, w) as an extractor sees them."""
        digest = sha256(f"{tuple(images.shape)} {span}".encode())
        digest.update(images.contiguous().numpy().data)
        return Kept(
            ReferenceStore(cache / "references"), digest.hexdigest()[:32], extractor.fingerprint, len(images)
        )

    def get(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> Mapping[str, Tensor]:
        """The part from disk, or computed by one process, and kept."""
        return self.store.get(ReferenceKey(self.data, self.extractor, self.samples, part), compute)


def _cache() -> Path:
    """Where an extractor that has to learn keeps what it learned, on the machine it runs on."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tradeoff-explorer"


@lru_cache(maxsize=8)
def real_side(
    dataset: Dataset, extractor: FeatureExtractor, samples: int, device: torch.device | str = "cpu"
) -> RealSide:
    """The real side of a dataset, made once in a process and for a device."""
    return RealSide(dataset.source(), extractor, samples, device)
