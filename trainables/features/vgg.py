"""VGG16 features: fc2 (4096) where the weights have it, else the pooled last convolution (512).

Simonyan & Zisserman 2015; the features of Kynkäänniemi et al. 2019.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torchvision import models

from trainables.extractors.vgg16 import WEIGHTS
from trainables.extractors.weight_files import find_weights, load_state
from trainables.features.extractor import Extractor, file_fingerprint, resize

__all__ = ["vgg16"]

SIDE = 224
_MEAN = (0.485, 0.456, 0.406)
_SCALE = (0.229, 0.224, 0.225)


def _prepare(images: Tensor) -> Tensor:
    """Resized to 224×224, in [0, 1], then ImageNet's mean and deviation."""
    mean, scale = (torch.tensor(v, device=images.device).view(1, 3, 1, 1) for v in (_MEAN, _SCALE))
    return (resize(images, SIDE) / 255 - mean) / scale


def vgg16(weights: str | Path | None = None) -> Extractor:
    """VGG16 after fc2 and its ReLU or, for weights without fully connected layers, conv5 averaged."""
    path = find_weights(WEIGHTS, weights)
    state = load_state(path)
    with torch.device("meta"):  # no time spent on initial weights
        convolutions: nn.Module = models.vgg.make_layers(models.vgg.cfgs["D"])
        first, second = nn.Linear(25088, 4096), nn.Linear(4096, 4096)
    try:
        kept = {k[9:]: v for k, v in state.items() if k.startswith("features.")}
        convolutions.load_state_dict(kept, assign=True)
        if connected := "classifier.3.weight" in state:
            for layer, at in ((first, 0), (second, 3)):
                kept = {name: state[f"classifier.{at}.{name}"] for name in ("weight", "bias")}
                layer.load_state_dict(kept, assign=True)
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"{path} must hold the layers of VGG16; {WEIGHTS.advice}") from error
    network: nn.Sequential
    if connected:
        network = nn.Sequential(
            convolutions, nn.AdaptiveAvgPool2d(7), nn.Flatten(), first, nn.ReLU(), second, nn.ReLU()
        )
        layer_name = "fc2 (4096)"
    else:
        network = nn.Sequential(convolutions, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        layer_name = "conv5 averaged (512)"
    return Extractor(
        name="vgg16",
        fingerprint=f"vgg16-1-{file_fingerprint(path)}",
        prepare=_prepare,
        forward=lambda x: (network(x), None),
        description=f"VGG16 {layer_name}, bilinear to 224×224 without antialiasing, ImageNet mean and deviation",
        module=network,
    )
