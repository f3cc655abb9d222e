"""The Inception network of FID: pool3 features (2048) and the 1008 logits of its classes.

This is the network of the original FID graph (2015-12-05), not torchvision's ImageNet classifier: average pools do not
count padding, the last block takes a maximum, and there are 1008 classes. Szegedy et al. 2016; Heusel et al. 2017.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torchvision.models import inception as blocks

from trainables.extractors.inception import WEIGHTS
from trainables.extractors.weight_files import find_weights, is_torchscript, load_state
from trainables.features.extractor import Extractor, file_fingerprint, resize
from trainables.features.torchscript import load_torchscript

__all__ = ["FidInception", "inception"]

SIDE = 299


def _mean_without_padding(x: Tensor) -> Tensor:
    return functional.avg_pool2d(x, kernel_size=3, stride=1, padding=1, count_include_pad=False)


class _A(blocks.InceptionA):  # type: ignore[misc]
    def _forward(self, x: Tensor) -> list[Tensor]:
        five = self.branch5x5_2(self.branch5x5_1(x))
        three = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return [self.branch1x1(x), five, three, self.branch_pool(_mean_without_padding(x))]


class _C(blocks.InceptionC):  # type: ignore[misc]
    def _forward(self, x: Tensor) -> list[Tensor]:
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_1(x)
        for step in (self.branch7x7dbl_2, self.branch7x7dbl_3, self.branch7x7dbl_4, self.branch7x7dbl_5):
            double = step(double)
        return [self.branch1x1(x), seven, double, self.branch_pool(_mean_without_padding(x))]


class _E(blocks.InceptionE):  # type: ignore[misc]
    def __init__(self, channels: int, largest: bool) -> None:
        super().__init__(channels)
        self.largest = largest

    def _forward(self, x: Tensor) -> list[Tensor]:
        three = self.branch3x3_1(x)
        three = torch.cat([self.branch3x3_2a(three), self.branch3x3_2b(three)], 1)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        double = torch.cat([self.branch3x3dbl_3a(double), self.branch3x3dbl_3b(double)], 1)
        pool = functional.max_pool2d(x, 3, 1, 1) if self.largest else _mean_without_padding(x)
        return [self.branch1x1(x), three, double, self.branch_pool(pool)]


class FidInception(nn.Module):
    """(n, 3, 299, 299) in about [-1, 1] → features (n, 2048), logits without bias (n, 1008)."""

    def __init__(self) -> None:
        super().__init__()
        conv: Any = blocks.BasicConv2d
        self.Conv2d_1a_3x3 = conv(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3 = conv(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = conv(32, 64, kernel_size=3, padding=1)
        self.Conv2d_3b_1x1 = conv(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3 = conv(80, 192, kernel_size=3)
        self.Mixed_5b = _A(192, pool_features=32)
        self.Mixed_5c = _A(256, pool_features=64)
        self.Mixed_5d = _A(288, pool_features=64)
        self.Mixed_6a = blocks.InceptionB(288)
        self.Mixed_6b = _C(768, channels_7x7=128)
        self.Mixed_6c = _C(768, channels_7x7=160)
        self.Mixed_6d = _C(768, channels_7x7=160)
        self.Mixed_6e = _C(768, channels_7x7=192)
        self.Mixed_7a = blocks.InceptionD(768)
        self.Mixed_7b = _E(1280, largest=False)
        self.Mixed_7c = _E(2048, largest=True)
        self.fc = nn.Linear(2048, 1008)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Pooled features and the logits that Inception Scores are computed from."""
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = functional.max_pool2d(x, 3, 2)
        x = functional.max_pool2d(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)), 3, 2)
        for name, block in self.named_children():
            if name.startswith("Mixed"):
                x = block(x)
        features = x.mean(dim=(2, 3))
        return features, features @ self.fc.weight.T


def _prepare(images: Tensor) -> Tensor:
    """Resized to 299×299 and scaled to (x - 128)/128, as in the original graph."""
    return (resize(images, SIDE) - 128) / 128


def inception(weights: str | Path | None = None) -> Extractor:
    """FID Inception from a state dict or a TorchScript file; the latter gives features but no logits."""
    path = find_weights(WEIGHTS, weights)
    description = "FID Inception pool3 (2048), bilinear to 299×299 without antialiasing, (x-128)/128"
    fingerprint = f"inception-1-{file_fingerprint(path)}"
    if is_torchscript(path):
        script = load_torchscript(path)
        return Extractor(
            "inception", fingerprint, _prepare, lambda x: (script(x).flatten(1), None), description, script
        )
    network = _loaded(load_state(path), path)
    return Extractor("inception", fingerprint, _prepare, network, description, network)


def _loaded(state: dict[str, Tensor], path: Path) -> FidInception:
    """The network with the tensors of a file, once they are known to be its own."""
    with torch.device("meta"):  # names and shapes; no time spent on initial weights
        network = FidInception()
    expected = network.state_dict()
    counters = {name: torch.tensor(0) for name in expected if name.endswith("num_batches_tracked")}
    kept = {
        name: value.float() for name, value in state.items() if not name.startswith("AuxLogits")
    } | counters
    missing = [name for name in expected if name not in kept]
    unknown = [name for name in kept if name not in expected]
    if missing or unknown:
        raise ValueError(
            f"{path} must hold the FID Inception, but {len(missing)} of its tensors are missing and "
            f"{len(unknown)} are unknown (first: {(missing + unknown)[0][:60]}); {WEIGHTS.advice}"
        )
    if any(kept[name].shape != wanted.shape for name, wanted in expected.items()):
        raise ValueError(
            f"{path} must hold the FID Inception, but tensors of it have other shapes; {WEIGHTS.advice}"
        )
    network.load_state_dict(kept, assign=True)
    return network
