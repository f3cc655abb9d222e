"""Any network saved as TorchScript."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["TorchScript"]


@dataclass(frozen=True)
class TorchScript(FeatureExtractor):
    """A file of the user's: images in [0, 1] → features."""

    name: ClassVar[str] = "torchscript"
    argument: ClassVar[str | None] = "file"
    file: str = ""

    def check(self) -> None:
        """The network has a place."""
        if self.file:
            check_path("file of features", self.file)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The network in the file."""
        from trainables.features.torchscript import torchscript

        if not self.file:
            raise ValueError(
                "extractor torchscript needs the file of a network; write {name: torchscript, file: net.pt}"
            )
        return torchscript(self.file)
