"""Tiny trials trained for some steps, with the samplers that their final evaluation leaves."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from explorer.sweep.sweep import build_sweep
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD, kept_samplers
from trainables.samplers.sampler import Sampler
from trainables.training.population import Population

__all__ = ["KINDS", "TAGGED", "Trained", "of_config", "sampler", "trained"]

TAGGED = '''
from dataclasses import dataclass
from typing import ClassVar

import trainables.models
from trainables.models import Model


@dataclass(frozen=True)
class Tagged(Model):
    """Classes move the output."""

    name: ClassVar[str] = "tagged"
    conditional: ClassVar[bool] = True
    latent: int = 4

    def build_generator(self, shape, classes):
        return _part(self.latent, shape, classes)

    def build_critic(self, shape, classes):
        return _part(shape[0] * shape[1] * shape[2], (1,), classes)


def _part(width, shape, classes):
    from math import prod

    from torch import nn

    assert issubclass(Tagged, trainables.models.Model)

    class Part(nn.Module):
        def __init__(self):
            super().__init__()
            self.classes = nn.Embedding(classes, prod(shape))
            self.linear = nn.Linear(width, prod(shape))

        def forward(self, x, y):
            return (self.linear(x.flatten(1)) + self.classes(y)).reshape(len(x), *shape)

    return Part()
'''
"""A user's own model, which makes samples of a class."""

KINDS: dict[str, dict[str, Any]] = {
    "points": {
        "model": {"generator": [16], "critic": [16]},
        "training": {"iterations": 100},
        "evaluation": {"samples": 600},
    },
    "flow": {"model": {"name": "nice"}, "objective": {"name": "flow_gan"}},
    "held": {
        "model": {"generator": [8], "critic": [8]},
        "objective": {"name": "wasserstein"},
        "constraint": {"name": "bjorck"},
    },
    "lam": {"model": {"takes_lam": True, "generator": [8], "critic": [8]}, "objective": {"lam": 3}},
    "images": {"dataset": {"name": "digits"}, "model": {"name": "dcgan", "width": 4}},
    "tagged": {"plugins": ["tagged"], "dataset": {"name": "digits"}, "model": {"name": "tagged"}},
}


class Trained(NamedTuple):
    """A population of one, its final evaluation and its sampler's file."""

    population: Population
    evaluation: Evaluation
    file: bytes


@cache
def trained(kind: str, folder: Path | None = None) -> Trained:
    """A trial of one of ``KINDS``; ``folder`` is where its plugin lies."""
    return of_config(KINDS[kind], folder or Path())


def of_config(changes: dict[str, Any], folder: Path) -> Trained:
    raw = {
        "name": "tiny",
        "refinement": {"budgets": [1, 2, 4]},
        "seeds": [3],
        **changes,
    }
    raw["evaluation"] = {"samples": 200, "features": {"name": "identity"}, **changes.get("evaluation", {})}
    raw["training"] = {"iterations": 8, "batch_size": 64, **changes.get("training", {})}
    raw["space"] = {"training.batch_size": [64]}
    sweep = build_sweep(raw, folder)
    population = Population([sweep.trial(next(iter(sweep.space.grid())), 3)])
    population.advance(raw["training"]["iterations"])
    (found,) = evaluate(population, sweep.plan, final=True)
    (file,) = kept_samplers(population, [found.ratios])
    assert file is not None
    return Trained(population, found, file)


def sampler(file: bytes) -> Sampler:
    """What draws samples from a file."""
    tensors, texts = read_tensors(file)
    return Sampler(json.loads(texts[CARD]), tensors)
