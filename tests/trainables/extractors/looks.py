"""What every network of stored weights refuses when it looks at its file and at images."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.extractors.weight_files import Weights

__all__ = ["IMAGES", "expect_refusals"]

IMAGES = Images(5, frozenset({(1, 8, 8), (3, 8, 8)}))


def expect_refusals(kind: type[FeatureExtractor], weights: Weights, folder: Path) -> None:
    """Other images, the weights of another network, and no file at all; its own weights are taken."""
    file = folder / "x.pth"
    member = kind(weights=str(file))
    torch.save({weights.layer: torch.zeros(weights.shape)}, file)
    member.look(IMAGES, IMAGES)
    with pytest.raises(ValueError, match=r"must have shape \(n, 1 or 3, height, width\)"):
        member.look(IMAGES, Images(5, frozenset({(2, 8, 8)})))
    torch.save({weights.layer: torch.zeros(3)}, file)
    with pytest.raises(ValueError, match=f"must hold {weights.what}, but it has no {weights.layer} of shape"):
        member.look(IMAGES, IMAGES)
    with pytest.raises(ValueError, match="must be a file, but"):
        kind(weights=str(folder / "none.pth")).look(IMAGES, IMAGES)
