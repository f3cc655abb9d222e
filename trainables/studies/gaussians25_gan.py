"""The GAN of thesis table 6.1 that comes along with this package: 25 Gaussians, trained, with a critic of its own.

``benchmarks/table_61_model.py`` trained it (2-256-512-1024-2 against 2-1024-512-256-1, Vérine 2024, C.2.1) and went on
with the critic while the generator stood still. Its weights are kept in half precision.
"""

from __future__ import annotations

import json
from importlib.resources import files

from trainables.datasets.gaussians25 import Gaussians25
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD
from trainables.samplers.sampler import Sampler
from trainables.samplers.trained import Trained
from trainables.sources.law import Law
from trainables.studies.half_files import widened

__all__ = ["gaussians25_gan", "gaussians25_law", "trained_of"]

_FILE = "gaussians25-gan-half.safetensors"


def trained_of(data: bytes) -> Trained:
    """The model of a sampler's file, in half precision or not."""
    tensors, texts = read_tensors(widened(data))
    if CARD not in texts:
        raise ValueError(f"a sampler's file has a text '{CARD}', got {sorted(texts)}; give one that was kept")
    return Trained(Sampler(json.loads(texts[CARD]), tensors))


def gaussians25_gan() -> Trained:
    """The model that comes along; O(its 1.3 million weights)."""
    return trained_of(files("trainables.studies").joinpath("models", _FILE).read_bytes())


def gaussians25_law() -> Law:
    """What it was trained on: a 5 × 5 grid of Gaussians."""
    law = Gaussians25().source().law
    assert law is not None
    return law
