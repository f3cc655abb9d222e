"""Features of a small network trained to tell the classes of a labelled dataset, for MNIST-like images.

Sajjadi et al. 2018 embed MNIST-like data with a classifier trained on it, since Inception knows nothing of digits.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from trainables.extractors.classifier import FEWEST
from trainables.features.extractor import Extractor, to_bytes_range
from trainables.features.once import made_once
from trainables.refusals import other_shape

__all__ = ["SmallClassifier", "classifier", "customary_epochs", "trained_classifier"]

VERSION = "classifier-2"
_BATCH = 128
_SEEN = 10_000
"""Images that even a small set's network sees in training, repeats counted."""


class SmallClassifier(nn.Module):
    """Three convolutions and a hidden layer; (n, c, h, w) in [0, 1] → features (n, 128), logits."""

    def __init__(self, channels: int, height: int, width: int, classes: int) -> None:
        super().__init__()
        rows, columns = -(-height // 4), -(-width // 4)
        self.body = nn.Sequential(
            *_convolution(channels, 32, 5, stride=2),
            *_convolution(32, 64, 3, stride=2),
            *_convolution(64, 64, 3, stride=1),
            nn.Flatten(),
            nn.Linear(64 * rows * columns, 128),
            nn.ReLU(),
        )
        self.head = nn.Linear(128, classes)

    @classmethod
    def for_data(cls, images: Tensor, labels: Tensor) -> SmallClassifier:
        """Sized for images (N, c, h, w) and labels 0…classes-1."""
        _, channels, height, width = images.shape
        return cls(channels, height, width, int(labels.max()) + 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Features after the last hidden layer, and class logits."""
        features = self.body(x)
        return features, self.head(features)


def _convolution(channels: int, features: int, size: int, stride: int) -> list[nn.Module]:
    convolution = nn.Conv2d(channels, features, size, stride, padding=size // 2, bias=False)
    return [convolution, nn.BatchNorm2d(features), nn.ReLU()]


def customary_epochs(images: int) -> int:
    """Passes over so many images: three over a large set, more over a small one, which takes no time."""
    return min(20, max(3, -(-_SEEN // max(images, 1))))


def trained_classifier(
    images: Tensor,
    labels: Tensor,
    epochs: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[SmallClassifier, float]:
    """A classifier of ``images`` (N, c, h, w) with integer ``labels`` (N,), and its accuracy on a tenth held out.

    Trained where the images are. The same seed gives the same network on the cores of one machine; on a GPU, whose
    convolutions add up in no fixed order, a network like it. O(epochs · N).
    """
    if len(images) != len(labels) or len(images) < FEWEST:
        raise ValueError(
            f"training a classifier needs one label per image and at least {FEWEST} images, got {len(images)} images "
            f"and {len(labels)} labels"
        )
    if len(labels.unique()) < 2:
        raise ValueError("training a classifier needs images of two classes or more, got one")
    epochs = customary_epochs(len(images)) if epochs is None else epochs
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(images), generator=generator)
    held, rest = order[: len(images) // 10], order[len(images) // 10 :]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = SmallClassifier.for_data(images, labels).to(images.device)
    optimiser = torch.optim.Adam(network.parameters())
    steps = epochs * len(rest.split(_BATCH))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=5e-3, total_steps=steps)
    for epoch in range(epochs):
        for piece in rest[torch.randperm(len(rest), generator=generator)].to(images.device).split(_BATCH):
            _, logits = network(to_bytes_range(images[piece]) / 255)
            loss = nn.functional.cross_entropy(logits, labels[piece].long())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        if progress is not None:
            progress(epoch + 1, epochs)
    network.eval()
    with torch.inference_mode():
        guesses = [network(to_bytes_range(images[p]) / 255)[1].argmax(1).cpu() for p in held.split(1024)]
    return network, float((torch.cat(guesses) == labels[held].cpu()).double().mean())


def classifier(
    images: Tensor,
    labels: Tensor,
    cache: Path,
    epochs: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Extractor, float]:
    """The extractor trained on a labelled set, and its held-out accuracy; trained once, then read from ``cache``
    (a damaged file is made anew).

    The file is named by the data, the recipe and the version of this code. Of processes that want it at the same time
    one trains and the others wait. The fingerprint covers the weights too: trained on another machine it is another.
    """
    digest = hashlib.sha256(f"{VERSION}-{epochs}-{seed}-{tuple(images.shape)}".encode())
    digest.update(images.cpu().contiguous().numpy().tobytes())
    digest.update(labels.long().cpu().contiguous().numpy().tobytes())
    name = f"{VERSION}-{digest.hexdigest()[:16]}"
    path = cache / f"{name}.pt"

    def train() -> dict[str, Any]:
        network, accuracy = trained_classifier(images, labels, epochs, seed, progress)
        state = {key: value.cpu() for key, value in network.state_dict().items()}
        _write(path, made := {"state": state, "accuracy": accuracy})
        return made

    stored = made_once(path, _stored, train)
    network, accuracy = SmallClassifier.for_data(images, labels), float(stored["accuracy"])
    network.load_state_dict(stored["state"])
    network.eval()
    shape = tuple(images.shape[1:])

    def prepare(x: Tensor) -> Tensor:
        if tuple(x.shape[1:]) != shape:
            raise other_shape(shape, tuple(x.shape[1:]))
        return x / 255

    extractor = Extractor(
        name="classifier",
        fingerprint=f"{name}-{_weights_digest(stored['state'])}",
        prepare=prepare,
        forward=network,
        description=f"last hidden layer (128) of a classifier with held-out accuracy {accuracy:.3f}, images in [0, 1]",
        module=network,
    )
    return extractor, accuracy


def _write(path: Path, content: dict[str, Any]) -> None:
    handle, aside = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    torch.save(content, aside)
    Path(aside).replace(path)


def _weights_digest(state: dict[str, Tensor]) -> str:
    digest = hashlib.sha256()
    for name, value in sorted(state.items()):
        digest.update(name.encode() + value.contiguous().numpy().tobytes())
    return digest.hexdigest()[:8]


def _stored(path: Path) -> dict[str, Any] | None:
    """What an earlier call left at ``path``; None if there is nothing, or nothing whole."""
    if not path.is_file():
        return None
    try:
        stored: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, pickle.UnpicklingError):
        return None
    return stored
