"""A small classifier of the data's own classes (Sajjadi et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.family import require
from trainables.refusals import other_shape

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["OwnClassifier"]

FEWEST = 20
"""Images that a classifier can be trained on, a tenth of them held out."""

LEARNS = 30_000
"""Images that it learns from at most: with three passes over them, nine in ten of Fashion-MNIST are told right."""

UNFIT = "extractor classifier is trained on real images with labels, which this data has not"


@dataclass(frozen=True)
class OwnClassifier(FeatureExtractor):
    """The last hidden layer of a network trained to tell the classes of the real samples.

    A sweep trains it on samples that its trials are trained on, ``tradeoff measure`` on the real side.
    """

    name: ClassVar[str] = "classifier"
    version: ClassVar[int] = 2  # 1: trained on the few samples held out, without batch normalisation
    learns: ClassVar[int] = LEARNS
    only_images: ClassVar[bool] = True
    has_logits: ClassVar[bool] = True

    def look(self, real: Images, fake: Images) -> None:
        """There is something to learn from, and all images are of the shape that is learnt."""
        require(real.labelled, UNFIT)
        require(
            real.count >= FEWEST,
            f"extractor classifier is trained on at least {FEWEST} real images, got {real.count}; use more",
        )
        (trained,) = real.shapes
        for shape in fake.shapes - real.shapes:
            raise other_shape(trained, shape)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """Trained once, then read from ``cache``."""
        from trainables.features.classifier import classifier

        if labels is None or samples.ndim != 4:
            raise ValueError(UNFIT)
        return classifier(samples, labels, cache)[0]
