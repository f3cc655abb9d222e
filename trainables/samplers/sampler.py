"""Samples of one trained trial at any budget, from its file alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.safetensors import Array
from trainables.samplers.keeping import MEMBERS, RATIO_CLASSES, RATIOS
from trainables.training.networks import Networks
from trainables.training.stack import Stack

__all__ = ["Drawn", "Sampler"]

BLOCK = 2048
"""Draws whose random numbers belong together, as in evaluations."""
FEWEST = 64
"""Draws of a class from which its own constant is found; with fewer it is that of all classes."""
PATIENCE = 10
"""Times as many draws as a budget stands for, after which nothing more is expected of the critic."""
STEP = 1 << 50
"""Where the random numbers of evaluations begin."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """Samples (n, *shape), points as they are and images as bytes; their classes (n,); the draws they took."""

    samples: Array
    classes: Array | None
    draws: int


@dataclass(frozen=True)
class _Data:
    """What networks need to know of the data: its shape, and classes as frequent as among the trial's own draws."""

    shape: tuple[int, ...]
    classes: int | None
    seen: Tensor

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """(1, count) classes."""
        if not len(self.seen):
            return None
        place = (noise.uniform(stream, step, count) * len(self.seen)).long().clamp(max=len(self.seen) - 1)
        return self.seen[place]


class Sampler:
    """One generator and its critic as they were evaluated.

    Attributes:
        shape: of one sample.
        classes: number of classes that samples can be asked of; None where they cannot.
        images: whether samples are bytes.
    """

    def __init__(self, card: Mapping[str, Any], tensors: Mapping[str, Array]) -> None:
        """``card``: what ``keeping`` wrote beside the tensors."""
        self.shape = tuple(card["shape"])
        self.classes: int | None = card["classes"]
        # Those of the evaluation at which it was kept: the trial's own seed draws the samples that were read there.
        self._first = card["iteration"] << 20
        self._span, self._scale, self._log_lam = card["span"], card["scale"], card["log_lam"]
        self.images = self._span is not None and len(self.shape) == 3
        self._ratios = torch.from_numpy(tensors[RATIOS].copy())
        self._seen = torch.from_numpy(tensors.get(RATIO_CLASSES, np.zeros(0, np.int64)).copy())
        model, self._objective, held, generator_held = (_member(card["members"][name]) for name in MEMBERS)
        data = _Data(self.shape, self.classes, self._seen)
        self._networks = Networks(model, data, Noise(torch.zeros(1)), (generator_held, held))
        self._generator = self._row(self._networks.generator, "generator", tensors)
        self._critic = self._row(self._networks.critic, "critic", tensors)
        self._constant = lru_cache(maxsize=256)(self._found_constant)

    def _row(self, stack: Stack, network: str, tensors: Mapping[str, Array]) -> dict[str, Tensor]:
        """Parameters of a network, (1, *shape) by name; its buffers are put in their place."""
        own = {
            name: torch.from_numpy(tensors[f"{network}.{name}"].copy()).unsqueeze(0)
            for name in (*stack.shapes, *stack.buffers)
        }
        self._networks.buffers[network] = {name: own[name] for name in stack.buffers}
        return {name: own[name] for name in stack.shapes}

    @torch.no_grad()
    def draw(self, count: int, budget: float = 1.0, seed: int = 0, label: int | None = None) -> Drawn:
        """``count`` samples at budget K: every draw is kept with probability min(c_K r, 1), one in K on average.

        c_K belongs to the trial's own draws at its evaluation, not to these: samples are independent, and how many
        draws they take is random. With a ``label`` all are of this class, and c_K is that of its draws.

        Reference: Vérine, thesis, Theorem 6.2.1.
        """
        networks = self._networks.with_noise(Noise(torch.tensor([seed])))
        log_c = None if budget == 1 else self._constant(budget, label)
        kept: list[Tensor] = []
        labels: list[Tensor] = []
        draws = taken = block = 0
        while taken < count:
            # A few draws more than are due, so that most blocks are the last; twice as many where that was too few.
            due = (count - taken) * budget
            size = int(due + 3 * (due * (budget - 1)) ** 0.5) + 1 << min(block, 11)
            points, given = self._block(networks, block, min(size, BLOCK), label)
            places = self._accepted(networks, block, points, given, log_c)[: count - taken]
            kept.append(points[places])
            labels += [y[0, places] for y in given[: self.classes is not None]]
            taken, block = taken + len(places), block + 1
            # Draws after the last sample were not needed.
            draws += int(places[-1]) + 1 if taken == count else len(points)
            if draws > PATIENCE * (count * budget + BLOCK):
                raise ValueError(
                    f"at budget K = {budget:g} the critic keeps one draw in K, but kept {taken} of {draws}; "
                    "ask for a smaller budget"
                )
        return Drawn(self._shown(torch.cat(kept)), torch.cat(labels).numpy() if labels else None, draws)

    def _block(
        self, networks: Networks, block: int, size: int, label: int | None
    ) -> tuple[Tensor, list[Tensor]]:
        """The first draws (m, *shape) of a block, and what they were made for."""
        at = self._first + block
        latent = networks.noise.normal(Stream.POOL, at, BLOCK, *networks.latent_shape, first=size)
        given = [y[:, :size] for y in networks.labels(STEP + at, BLOCK)]
        if label is not None:
            given = [torch.full_like(y, label) for y in given]
        if self._log_lam is not None:
            given.append(torch.full((1, size), self._log_lam))
        points = networks.generate(self._generator, latent, given, STEP + at, training=False)[0]
        return points, given

    def _accepted(
        self, networks: Networks, block: int, points: Tensor, given: list[Tensor], log_c: Tensor | None
    ) -> Tensor:
        """Which draws (m, *shape) of a block are kept, in their order: all where there is no constant."""
        if log_c is None:
            return torch.arange(len(points))
        uniform = networks.noise.uniform(Stream.ACCEPT, self._first + block, BLOCK, first=len(points))[0]
        return (uniform <= acceptance(self._log_ratio(networks, points, given), log_c)).nonzero().flatten()

    def _log_ratio(self, networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
        """(m,) log r, up to a constant."""
        logits = networks.score(self._critic, points[None], given, STEP, training=False)
        found: Tensor = self._objective.log_ratio(logits)[0] * self._scale
        return found

    def _found_constant(self, budget: float, label: int | None) -> Tensor:
        """log c_K over the trial's own draws, those of a class if it is asked for. O(N log N)."""
        ratios = self._ratios
        if label is not None and int((self._seen == label).sum()) >= FEWEST:
            ratios = ratios[self._seen == label]
        return budget_constant(ratios, budget)

    def _shown(self, points: Tensor) -> Array:
        if not self.images:
            return points.numpy()
        low, high = self._span
        unit = ((points - low) / max(high - low, 1e-12)).clamp(0.0, 1.0)
        levels: Array = (255 * unit).round().to(torch.uint8).numpy()
        return levels


def _member(told: Mapping[str, Any]) -> Any:
    kind = getattr(import_module(told["module"]), told["class"])
    return kind(**told["fields"])
