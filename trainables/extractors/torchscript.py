"""Any network saved as TorchScript."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.extractors.weight_files import check_torchscript
from trainables.family import require
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["TorchScript"]


@dataclass(frozen=True)
class TorchScript(FeatureExtractor):
    """A file of the user's: images in [0, 1] → features.

    Attributes:
        file: the file of the network.
    """

    name: ClassVar[str] = "torchscript"
    only_images: ClassVar[bool] = True
    argument: ClassVar[str | None] = "file"
    file: str = ""

    def check(self) -> None:
        """The network has a place."""
        if self.file:
            check_path("file of features", self.file)

    def look(self, real: Images, fake: Images) -> None:
        """There is a network in the file."""
        check_torchscript(self._path())

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The network in the file."""
        from trainables.features.torchscript import torchscript

        return torchscript(self._path())

    def _path(self) -> Path:
        require(
            self.file != "",
            "extractor torchscript needs the file of a network; write {name: torchscript, file: net.pt}",
        )
        return Path(self.file).expanduser()
