"""A trained trial, from its file alone, as a model that refined samples are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import torch
from torch import Tensor

from trainables.randomness import Stream, hashed_normals
from trainables.refinements.draws import Block
from trainables.safetensors import Array
from trainables.samplers.pool import Pool
from trainables.samplers.sampler import Sampler
from trainables.samplers.steps import BLOCK, parts
from trainables.training.networks import Networks

__all__ = ["Ratio", "Trained"]

Ratio = Callable[[Networks, Tensor, list[Tensor]], Tensor]
"""Networks, points (m, *shape), and what they were made for, (1, m) each → log r (m,) up to a constant."""


class Trained:
    """The generator of a trial, with its critic or another ratio.

    Attributes:
        shape: of one sample.
    """

    def __init__(self, sampler: Sampler, ratio: Ratio | None = None, label: int | None = None) -> None:
        """``ratio``: that of the critic if left out; ``label``: the class of all draws, any if left out."""
        self.sampler = sampler
        self.shape = sampler.shape
        self._ratio = ratio or sampler.log_ratio
        self._label = label

    @torch.no_grad()
    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """The draws of a seed, from which ``Sampler.draw`` takes too: the trial's own gives the samples that were read.

        Networks see ``Sampler.step`` draws at a time.
        """
        sampler = self.sampler
        networks = sampler.of_seed(seed)
        for at in count(sampler.first + first):
            latent, given, uniform = sampler.random(networks, at, BLOCK, self._label)
            block = self._block(networks, at, latent, given)
            classes = given[0][0] if sampler.classes is not None else None
            yield Pool(partial(_points, block), partial(_scores, block), uniform, classes, block)

    def _parts(self, given: list[Tensor]) -> Iterator[tuple[slice, list[Tensor]]]:
        """Places in a block that pass through the networks together, and what these draws are made for."""
        for part in parts(BLOCK, self.sampler.step):
            yield part, [own[:, part] for own in given]

    def _block(self, networks: Networks, at: int, latent: Tensor, given: list[Tensor]) -> Block:
        keys = networks.noise.keys(Stream.MOVE, at)

        def generate(z: Tensor) -> Tensor:
            return torch.cat(
                [self.sampler.generate(networks, z[:, part], own, at) for part, own in self._parts(given)],
                dim=1,
            )

        def log_ratio(x: Tensor) -> Tensor:
            ratios = [self._ratio(networks, x[0, part], own) for part, own in self._parts(given)]
            return torch.cat(ratios).unsqueeze(0)

        def normal(step: int) -> Tensor:
            return hashed_normals(keys + step, tuple(latent.shape[1:]))

        return Block(latent, lambda: generate(latent), generate, log_ratio, normal)

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        """(m,) log r at points (m, *shape) as the trial has them; gradients flow through it.

        A conditional model wants their classes (m,), unless one is that of all.
        """
        sampler = self.sampler
        if tuple(points.shape[1:]) != self.shape:
            raise ValueError(f"points must be samples of shape {self.shape}, got {tuple(points.shape[1:])}")
        if classes is None and self._label is not None:
            classes = torch.full((len(points),), self._label)
        given, networks = sampler.given_for(classes, len(points)), sampler.of_seed(0)
        points = points.to(sampler.device)
        return torch.cat(
            [
                self._ratio(networks, points[part], [own[:, part] for own in given])
                for part in parts(len(points), sampler.step)
            ]
        )

    def shown(self, points: Tensor) -> Array:
        """As ``Sampler.shown``."""
        return self.sampler.shown(points)


def _points(block: Block) -> Tensor:
    return block.points[0]


def _scores(block: Block) -> Tensor:
    return block.log_ratio(block.points)[0]
