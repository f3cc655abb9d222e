"""A small classifier of the data's own classes (Sajjadi et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["OwnClassifier"]


@dataclass(frozen=True)
class OwnClassifier(FeatureExtractor):
    """The last hidden layer of a network trained to tell the classes of the real samples."""

    name: ClassVar[str] = "classifier"
    has_logits: ClassVar[bool] = True

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """Trained once, then read from ``cache``."""
        from trainables.features.classifier import classifier

        if labels is None or samples.ndim != 4:
            raise ValueError(
                "extractor classifier is trained on real images with labels, which this data has not"
            )
        return classifier(samples, labels, cache)[0]
