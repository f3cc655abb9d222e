"""A generator and a critic of the user's own, as TorchScript files, as a model that refined samples are drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream, hashed_normals
from trainables.refinements.draws import Block
from trainables.safetensors import Array
from trainables.samplers.mixing import differ, mixes
from trainables.samplers.pool import Pool
from trainables.samplers.scales import Scale, check_scores, log_ratio_of
from trainables.samplers.scripts import LATENTS, Script
from trainables.samplers.steps import LEAST, block_of, parts, step_of
from trainables.spans import as_bytes, span_of

__all__ = ["Scripted"]


class Scripted:
    """x = G(z) of standard normal latents z (m, *latent), with log r by a critic's scores (m,) or (m, 1) at x.

    Attributes:
        shape: of one sample.
        latent: the shape of one latent.
        block: how many draws a block has, 2048 but for large samples.
        step: how many samples pass through the networks at a time.
        span: what black and white are in samples that are images; None if they are none.
    """

    def __init__(
        self,
        generator: str | Path,
        critic: str | Path | None = None,
        *,
        latent: int | Sequence[int] | None = None,
        scores: Scale = "logit",
        span: tuple[float, float] | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        """Both are tried on a few latents, so that what they cannot do is told at once.

        ``latent``, ``span``: found if left out; ``scores``: what the critic's stand for, up to a rising map.
        """
        self._device = torch.device(device)
        self._generator = Script(
            generator, "generator", self._device, "; give the shape of one latent, such as 128 or (100, 1, 1)"
        )
        self._critic = None if critic is None else Script(critic, "critic", self._device)
        self._scale = scores
        self.latent = _latent(self._generator, latent)
        points = self._try_generator()
        self.shape = tuple(points.shape[1:])
        self.block, self.step = block_of(self.shape), step_of(self.shape)
        self.span = span_of(points) if span is None or span_of(points) is None else span
        self._look_for_mixing(points)

    @torch.no_grad()
    def _try_generator(self) -> Tensor:
        latent = self._random(0, 0, 2 * LEAST)[0][0]
        points = self._generator(latent, 0)
        if points.ndim < 2 or not points[0].numel():
            raise ValueError(
                f"{self._generator.what} must return samples (m, *shape), got {tuple(points.shape)} for "
                f"{len(latent)} latents"
            )
        amiss = int((~points.flatten(1).isfinite()).any(dim=1).sum())
        if amiss:
            raise ValueError(
                f"{self._generator.what} must make finite samples, but {amiss} of {len(points)} hold NaN or infinity; "
                "it has diverged, or takes other latents"
            )
        self._generator.random = differ(points, self._generator(latent, 1))
        return points

    @torch.no_grad()
    def _look_for_mixing(self, points: Tensor) -> None:
        """A generator that mixes draws gets whole blocks; a critic must score every sample by itself."""
        generator, critic = self._generator, self._critic
        latent = self._random(0, 0, 2 * LEAST)[0][0]
        if not generator.random and mixes(lambda few: (generator(latent[:few]),), LEAST):
            self.step = self.block
        if critic is None:
            return
        check_scores(self._scores(points, 0), self._scale, f"scores of {critic.what}")
        alone = not differ(self._scores(points, 0), self._scores(points, 1))
        if not alone or mixes(lambda few: (self._scores(points[:few], 0),), LEAST):
            raise ValueError(
                f"{critic.what} must score every sample by itself, but a score changes with "
                f"{'the samples beside it' if alone else 'random numbers'}; call eval() before it is saved, and let "
                "batch norm keep its running statistics"
            )
        critic.random = False

    @torch.no_grad()
    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """The draws of a seed, ``step`` at a time through the networks. Log r is None without a critic."""
        for at in count(first):
            latent, uniform, key = self._random(seed, at, self.block)
            block = self._block(seed, at, latent, key)
            scored = None if self._critic is None else partial(_scores, block)
            yield Pool(partial(_points, block), scored, uniform, None, block)

    def _random(self, seed: int, at: int, size: int) -> tuple[Tensor, Tensor, int]:
        """Of a block: latents (1, m, *latent), numbers (m,) that decide who is kept, a seed for the generator."""
        noise = self._noise(seed)
        latent = noise.normal(Stream.POOL, at, size, *self.latent)
        return latent, noise.uniform(Stream.ACCEPT, at, size)[0], int(noise.keys(Stream.FORWARD, at))

    def _noise(self, seed: int) -> Noise:
        return Noise(torch.tensor([seed], device=self._device))

    def _generated(self, latent: Tensor, key: int) -> Tensor:
        """(m, *shape) of latents (m, *latent) that begin a block."""
        made = [self._generator(latent[part], key + part.start) for part in parts(len(latent), self.step)]
        return torch.cat(made)

    def _block(self, seed: int, at: int, latent: Tensor, key: int) -> Block:
        keys = self._noise(seed).keys(Stream.MOVE, at)
        return Block(
            latent,
            lambda: self._generated(latent[0], key)[None],
            lambda z: self._generated(z[0], key)[None],
            lambda x: self.log_ratio_at(x[0])[None],
            lambda step: hashed_normals(keys + step, tuple(latent.shape[1:])),
        )

    def log_ratio_at(self, points: Tensor, classes: Tensor | None = None) -> Tensor:
        """(m,) log r at points (m, *shape), up to a constant; gradients flow through it. It knows no classes."""
        if tuple(points.shape[1:]) != self.shape:
            raise ValueError(f"points must be samples of shape {self.shape}, got {tuple(points.shape[1:])}")
        scores = [self._scores(points[part], 0) for part in parts(len(points), self.step)]
        return log_ratio_of(torch.cat(scores), self._scale)

    def _scores(self, points: Tensor, seed: int) -> Tensor:
        critic = self._critic
        if critic is None:
            raise ValueError(
                f"no ratio is known of {self._generator.what}; give its critic, or fit a classifier to real points"
            )
        found = critic(points, seed)
        if found.numel() != len(points):
            raise ValueError(
                f"{critic.what} must return one score per sample, (m,) or (m, 1), got {tuple(found.shape)} for "
                f"{len(points)} samples"
            )
        return found.reshape(len(points))

    def shown(self, points: Tensor) -> Array:
        """As they are, images as bytes."""
        return points.cpu().numpy() if self.span is None else as_bytes(points, self.span)


def _points(block: Block) -> Tensor:
    return block.points[0]


def _scores(block: Block) -> Tensor:
    return block.log_ratio(block.points)[0]


def _latent(generator: Script, told: int | Sequence[int] | None) -> tuple[int, ...]:
    if told is None:
        found = generator.latent()
        if found is None:
            raise ValueError(
                f"{generator.what} does not say how many numbers a latent has; give latent, such as 128 or "
                f"(100, 1, 1), or save the generator with one of the attributes {', '.join(LATENTS)}"
            )
        return found
    shape = (told,) if isinstance(told, int) else tuple(told)
    if not shape or any(size < 1 for size in shape):
        raise ValueError(f"the shape of a latent must be numbers ≥ 1, got {told}; such as 128 or (100, 1, 1)")
    return shape
