"""Samples as they are, flattened."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.refusals import several_dimensions

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["Identity"]


@dataclass(frozen=True)
class Identity(FeatureExtractor):
    """Points are compared as points, images by their pixels in [0, 1]."""

    name: ClassVar[str] = "identity"

    def look(self, real: Images, fake: Images) -> None:
        """All images have as many pixels."""
        widths = {math.prod(shape) for shape in real.shapes | fake.shapes}
        if len(widths) > 1:
            raise several_dimensions(self.name, widths)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """Nothing to learn."""
        from trainables.features.extractor import identity

        return identity(images=samples.ndim == 4)
