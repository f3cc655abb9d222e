"""Samples of one trained trial at any budget, from its file alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.safetensors import Array
from trainables.samplers.keeping import MEMBERS, RATIO_CLASSES, RATIOS
from trainables.samplers.mixing import mixes
from trainables.samplers.steps import BLOCK, LEAST, step_of
from trainables.samplers.turns import OutOfTime, Turn
from trainables.spans import as_bytes
from trainables.training.networks import Networks
from trainables.training.stack import Stack

if TYPE_CHECKING:
    from trainables.objectives import Objective

__all__ = ["Drawn", "Sampler"]

FEWEST = 1024
"""Draws of a class among the evaluated ones from which its constant is found; with fewer it is that of others."""
OWN = 4096
"""How many those others are, made of the class by the trial's own generator."""
OWN_FROM = 15 << 16
"""Where their random numbers begin among those of an evaluation: no call reaches as far."""
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


@dataclass(frozen=True, eq=False)
class _Made:
    """Draws (m, *shape), what they were made for, (1, m) each, and the numbers (m,) that decide who of them is kept."""

    points: Tensor
    given: list[Tensor]
    uniform: Tensor


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
        first: the block with which draws begin.
        step: how many draws pass through the networks at a time.
    """

    def __init__(
        self, card: Mapping[str, Any], tensors: Mapping[str, Array], device: torch.device | str = "cpu"
    ) -> None:
        """``card``: what ``keeping`` wrote beside the tensors; ``device``: where samples are made and scored."""
        self.device = torch.device(device)
        self.shape = tuple(card["shape"])
        self.classes: int | None = card["classes"]
        # Those of the evaluation at which it was kept: the trial's own seed draws the samples that were read there.
        self.first = card["iteration"] << 20
        self._span, self._scale, self._log_lam = card["span"], card["scale"], card["log_lam"]
        self.images = self._span is not None and len(self.shape) == 3
        self.step = step_of(self.shape)
        self._whole = False
        self._ratios = torch.from_numpy(tensors[RATIOS].copy()).to(self.device)
        self._seen = torch.from_numpy(tensors.get(RATIO_CLASSES, np.zeros(0, np.int64)).copy()).to(
            self.device
        )
        self._model, self._objective, held, generator_held = (
            _member(card["members"][name]) for name in MEMBERS
        )
        data = _Data(self.shape, self.classes, self._seen)
        self._networks = Networks(self._model, data, self._noise(0), (generator_held, held))
        self._generator = self._row(self._networks.generator, "generator", tensors)
        self._critic = self._row(self._networks.critic, "critic", tensors)
        self._own_noise = self._noise(card["config"]["seed"])
        self._of_class: dict[int, list[Tensor]] = {}
        self._constant = lru_cache(maxsize=256)(self._found_constant)
        self._whole = self._mixes()
        if self._whole:
            self.step = BLOCK

    def _row(self, stack: Stack, network: str, tensors: Mapping[str, Array]) -> dict[str, Tensor]:
        """Parameters of a network, (1, *shape) by name; its buffers are put in their place."""
        own = {
            name: torch.from_numpy(tensors[f"{network}.{name}"].copy()).unsqueeze(0).to(self.device)
            for name in (*stack.shapes, *stack.buffers)
        }
        self._networks.buffers[network] = {name: own[name] for name in stack.buffers}
        return {name: own[name] for name in stack.shapes}

    def of_seed(self, seed: int) -> Networks:
        """The networks with the random numbers of a seed; the trial's own draws the samples that were read."""
        return self._networks.with_noise(self._noise(seed))

    def _noise(self, seed: int) -> Noise:
        return Noise(torch.tensor([seed], device=self.device))

    @torch.no_grad()
    def draw(
        self,
        count: int,
        budget: float = 1.0,
        seed: int = 0,
        label: int | None = None,
        turn: Turn = nullcontext,
    ) -> Drawn:
        """``count`` samples at budget K: every draw is kept with probability min(c_K r, 1), one in K on average.

        c_K belongs to the trial's own draws at its evaluation, not to these: samples are independent, and how many
        draws they take is random. With a ``label`` all are of this class, and c_K is that of its draws; they are made
        when it is asked for the first time, if the evaluation had few of it, and are not among those that are told.

        Nothing of this may be done twice at a time: whoever shares a sampler gives each caller its ``turn``.

        Reference: Vérine, thesis, Theorem 6.2.1.
        """
        networks = self.of_seed(seed)
        log_c = None
        if budget > 1:
            self._know(label, turn)
            log_c = self._constant(budget, label)
        kept: list[Tensor] = []
        labels: list[Tensor] = []
        draws = taken = block = 0
        try:
            while taken < count:
                # A few draws more than are due, so that most blocks are the last; twice as many where that was too few.
                due = (count - taken) * budget
                size = int(due + 3 * (due * (budget - 1)) ** 0.5) + 1 << min(block, 11)
                for made in self._made(networks, self.first + block, min(size, BLOCK), label, turn):
                    with turn():
                        places = self._accepted(networks, made, log_c)[: count - taken]
                    kept.append(made.points[places])
                    labels += [y[0, places] for y in made.given[: self.classes is not None]]
                    taken += len(places)
                    # Draws after the last sample were not needed.
                    draws += int(places[-1]) + 1 if taken == count else len(made.points)
                    if taken == count:
                        break
                    _check_patience(taken, draws, count, budget)
                block += 1
        except OutOfTime as error:
            raise OutOfTime(taken) from error
        classes = torch.cat(labels).cpu().numpy() if labels else None
        return Drawn(self.shown(torch.cat(kept)), classes, draws)

    def _made(self, networks: Networks, at: int, size: int, label: int | None, turn: Turn) -> Iterator[_Made]:
        """The first draws of a block, some at a time; all of them where draws depend on those beside them."""
        if self._whole:
            size = BLOCK
        with turn():
            latent, given, uniform = self.random(networks, at, size, label)
        for start in range(0, size, self.step):
            part = slice(start, start + self.step)
            own = [y[:, part] for y in given]
            with turn():
                points = self.generate(networks, latent[:, part], own, at)
            yield _Made(points[0], own, uniform[part])

    def generate(self, networks: Networks, latent: Tensor, given: list[Tensor], at: int) -> Tensor:
        """Samples (1, m, *shape) of latents (1, m, *latent) of block ``at``; gradients flow through it."""
        return networks.generate(self._generator, latent, given, STEP + at, training=False)

    def random(
        self, networks: Networks, at: int, size: int, label: int | None
    ) -> tuple[Tensor, list[Tensor], Tensor]:
        """Of the first draws of a block: latents, what they are made for, and the numbers that decide who is kept."""
        latent = networks.noise.normal(Stream.POOL, at, BLOCK, *networks.latent_shape, first=size)
        given = [y[:, :size] for y in networks.labels(STEP + at, BLOCK)]
        if label is not None:
            given = [torch.full_like(y, label) for y in given]
        if self._log_lam is not None:
            given.append(torch.full((1, size), self._log_lam, device=self.device))
        return latent, given, networks.noise.uniform(Stream.ACCEPT, at, BLOCK, first=size)[0]

    def given_for(self, classes: Tensor | None, count: int) -> list[Tensor]:
        """What ``count`` points of classes (count,) were made for, (1, count) each, as the networks take it."""
        given = []
        if self.classes is not None:
            given.append(_checked_classes(classes, count, self.classes).to(self.device).unsqueeze(0))
        if self._log_lam is not None:
            given.append(torch.full((1, count), self._log_lam, device=self.device))
        return given

    @torch.no_grad()
    def _mixes(self) -> bool:
        """Whether a draw or its ratio depends on the draws beside it, as by random numbers or statistics of a batch.

        It is tried: networks in which dropout is random in training alone say that they are random, too.
        """
        networks = self._networks
        few = 64 if networks.generator.random or networks.critic.random else LEAST
        latent, given, _ = self.random(networks, self.first, 2 * few, None)

        def passed(count: int) -> tuple[Tensor, Tensor]:
            own, at = [y[:, :count] for y in given], self.first
            points = self.generate(networks, latent[:, :count], own, at)[0]
            return points, self.log_ratio(networks, points, own)

        return mixes(passed, few)

    def _accepted(self, networks: Networks, made: _Made, log_c: Tensor | None) -> Tensor:
        """Which draws are kept, in their order: all where there is no constant."""
        if log_c is None:
            return torch.arange(len(made.points), device=self.device)
        share = acceptance(self.log_ratio(networks, made.points, made.given), log_c)
        return (made.uniform <= share).nonzero().flatten()

    def log_ratio(self, networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
        """(m,) log r at points (m, *shape), up to a constant; gradients flow through it."""
        found: Tensor = self.uncalibrated(networks, points, given) * self._scale
        return found

    def uncalibrated(self, networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
        """(m,) the critic's own log r̂ there, as its objective reads a logit."""
        logits = networks.score(self._critic, points[None], given, STEP, training=False)
        found: Tensor = self._objective.log_ratio(logits)[0]
        return found

    def log_prob(self, networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
        """(m,) log q of the generator there; of models that have a density alone."""
        found: Tensor = networks.density(self._generator, points[None], given, STEP, training=False)
        return found[0]

    @property
    def has_density(self) -> bool:
        """Whether ``log_prob`` exists."""
        return bool(self._model.has_density)

    @property
    def objective(self) -> Objective:
        """Of the trial, which reads the critic's logits."""
        found: Objective = self._objective
        return found

    def _know(self, label: int | None, turn: Turn) -> None:
        """See to it that the ratios of a class are known. What time that is over leaves is there the next time."""
        if label is None or int((self._seen == label).sum()) >= FEWEST:
            return
        found = self._of_class.setdefault(label, [])
        networks = self._networks.with_noise(self._own_noise)
        while True:
            with turn():  # also to look: another caller may make the same
                if len(found) * self.step >= OWN:
                    return
                at = self.first + OWN_FROM + len(found)
                (made,) = self._made(networks, at, self.step, label, nullcontext)
                found.append(self.log_ratio(networks, made.points, made.given))

    def _found_constant(self, budget: float, label: int | None) -> Tensor:
        """log c_K over the trial's own draws, those of a class if it is asked for. O(N log N)."""
        if label is None:
            return budget_constant(self._ratios, budget)
        made = self._of_class.get(label)
        return budget_constant(self._ratios[self._seen == label] if made is None else torch.cat(made), budget)

    def shown(self, points: Tensor) -> Array:
        """Points (n, *shape) as they are given away: as they are, images as bytes."""
        if not self.images:
            return points.cpu().numpy()
        return as_bytes(points, self._span)


def _checked_classes(classes: Tensor | None, count: int, most: int) -> Tensor:
    if classes is None:
        raise ValueError(f"the critic scores points of {most} classes; give the class of each point")
    if tuple(classes.shape) != (count,) or classes.is_floating_point():
        raise ValueError(
            f"classes must be one whole number for each of {count} points, got {classes.dtype} of shape "
            f"{tuple(classes.shape)}"
        )
    if count and not 0 <= int(classes.min()) <= int(classes.max()) < most:
        raise ValueError(
            f"classes must be 0 … {most - 1}, got {int(classes.min())} … {int(classes.max())}; give the numbers that "
            "the data has"
        )
    return classes.long()


def _check_patience(taken: int, draws: int, count: int, budget: float) -> None:
    """Refuse a critic that keeps far fewer than its own draws foretold."""
    if draws > PATIENCE * (count * budget + BLOCK):
        raise ValueError(
            f"at budget K = {budget!r} the critic keeps one draw in K, but kept {taken} of {draws}; "
            "ask for a smaller budget"
        )


def _member(told: Mapping[str, Any]) -> Any:
    kind = getattr(import_module(told["module"]), told["class"])
    return kind.of_plain(told["fields"])
