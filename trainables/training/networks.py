"""Generator and critic of a pack: how they are built, tried, and called."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from trainables.constraints import Constraint
from trainables.constraints.none import Free
from trainables.models.model import Model
from trainables.randomness import Noise, Stream
from trainables.training.stack import Buffers, Stack

__all__ = ["Data", "Networks", "critic_stack", "generator_stack"]

Parameters = dict[str, Tensor]

_LOGIT = 30.0
"""Logits stay within ±30: a ratio of e^30 is beyond any data, and exponentials of it are finite in float32."""


class Data(Protocol):
    """What networks must know of the data: the shape of a sample, how many classes there are, and how frequent."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        ...

    @property
    def classes(self) -> int | None:
        """Number of classes, if samples are labelled."""
        ...

    def labels(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor | None:
        """The classes (T, count) of ``count`` samples for each trial."""
        ...


class Networks:
    """The stacked modules of a pack, with their buffers and all that a call needs beside parameters and points.

    Attributes:
        buffers: of generator and critic, updated in place in training.
        conditional: whether both take classes, which only models that ask for them on labelled data do.
        takes_lam: whether both take log λ of every sample, after its class.
        noise: what decides their random numbers.
    """

    def __init__(
        self,
        model: Model,
        source: Data,
        noise: Noise,
        constraints: tuple[Constraint, Constraint] = (Free(), Free()),
    ) -> None:
        """``constraints`` of generator and critic may prepare the modules they hold down."""
        self._source = source
        self.noise = noise
        self.conditional = model.conditional and source.classes is not None
        self.latent_shape = model.latent_shape(source.shape)
        self.takes_lam = model.takes_lam
        shape = source.shape
        self.generator = generator_stack(model, shape, source.classes, constraints[0])
        self.critic = critic_stack(model, shape, source.classes, constraints[1])
        _check_output(self.generator, "forward", {(2, *shape)})
        if model.has_density:
            _check_output(self.generator, "log_prob", {(2,)})
        _check_output(self.critic, "forward", {(2,), (2, 1)})
        self.buffers: dict[str, Buffers] = {"generator": {}, "critic": {}}
        self._model = model

    def with_noise(self, noise: Noise) -> Networks:
        """The same networks, which share their buffers, with other random numbers."""
        other = copy.copy(self)
        other.noise = noise
        return other

    def of_rows(self, rows: Tensor) -> Networks:
        """The same networks for some trials of the pack: copies of their buffers, and their random numbers."""
        other = self.with_noise(self.noise.of_rows(rows))
        other.buffers = {
            network: {name: values[rows] for name, values in own.items()}
            for network, own in self.buffers.items()
        }
        return other

    def shapes_without_lam(self) -> list[tuple[int, ...]]:
        """Of the parameters of a generator that does not take λ, in their order: what one that does begins with."""
        with torch.random.fork_rng(devices=[]):  # the caller's random state stays as it is
            plain = self._model.without_lam().build_generator(self._source.shape, self._source.classes)
        return [tuple(p.shape) for p in plain.parameters()]

    def initial(self, seeds: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
        """(T, P) fresh parameters of generators and of critics; buffers begin anew too."""
        generator, self.buffers["generator"] = self.generator.initial(seeds, device)
        critic, self.buffers["critic"] = self.critic.initial([seed + 1_000_003 for seed in seeds], device)
        return generator, critic

    def labels(self, step: Tensor | int, count: int) -> list[Tensor]:
        """Classes for generated samples, as frequent as in the data; nothing for models that take none."""
        drawn = self._source.labels(self.noise, Stream.LABELS, step, count) if self.conditional else None
        return [] if drawn is None else [drawn]

    def given(self, classes: Tensor | None) -> list[Tensor]:
        """Classes of samples that have them, for models that take them."""
        return [classes] if self.conditional and classes is not None else []

    def generate(
        self,
        parameters: Parameters,
        latent: Tensor,
        labels: list[Tensor],
        step: Tensor | int,
        training: bool,
    ) -> Tensor:
        """Samples (T, n, *shape) of latents (T, n, *latent_shape)."""
        keys = self._keys(self.generator, Stream.FORWARD, 2 * step)
        buffers = self.buffers["generator"]
        return self.generator(parameters, buffers, latent, *labels, keys=keys, training=training)

    def density(
        self, parameters: Parameters, x: Tensor, labels: list[Tensor], step: Tensor | int, training: bool
    ) -> Tensor:
        """log q (T, n) at points (T, n, *shape), of models that have it."""
        keys, buffers = self._keys(self.generator, Stream.LIKELIHOOD, step), self.buffers["generator"]
        return self.generator(
            parameters, buffers, x, *labels, keys=keys, training=training, method="log_prob"
        )

    def score(
        self,
        parameters: Parameters,
        x: Tensor,
        labels: list[Tensor],
        step: Tensor | int,
        training: bool,
        pick: Callable[[Tensor], Tensor] = lambda values: values,
    ) -> Tensor:
        """Logits (T, n) of points (T, n, *shape), softly bounded, which keeps the Lipschitz constant.

        ``pick`` chooses the rows of parameters and points, if they are not all of the pack.
        """
        keys = self._keys(self.critic, Stream.FORWARD, 2 * step + 1)
        buffers = {name: pick(values) for name, values in self.buffers["critic"].items()}
        out = self.critic(
            parameters, buffers, x, *labels, keys=None if keys is None else pick(keys), training=training
        )
        return _LOGIT * torch.tanh(out.reshape(x.shape[:2]) / _LOGIT)

    @staticmethod
    def saturated(logit: Tensor) -> Tensor:
        """(T,) the share of logits (T, n) so near their bounds that less than a tenth of their slope is left."""
        return (logit.abs() > 0.95 * _LOGIT).float().mean(-1)

    def _keys(self, network: Stack, stream: Stream, step: Tensor | int) -> Tensor | None:
        """(T,) what decides the random numbers of a forward pass; None for networks that draw none."""
        return self.noise.keys(stream, step) if network.random else None


def generator_stack(
    model: Model, shape: tuple[int, ...], classes: int | None, constraint: Constraint
) -> Stack:
    """Generators of samples of a shape, with their density if they have one; a constraint may prepare them."""
    given = _conditions(model, classes)
    return Stack(
        lambda: constraint.prepare(model.build_generator(shape, classes)),
        torch.zeros(2, *model.latent_shape(shape)),
        *given,
        what=f"the generator of model '{model.name}'",
        methods={"log_prob": (torch.zeros(2, *shape), *given)} if model.has_density else {},
    )


def critic_stack(model: Model, shape: tuple[int, ...], classes: int | None, constraint: Constraint) -> Stack:
    """Critics of samples of a shape; a constraint may prepare them."""
    return Stack(
        lambda: constraint.prepare(model.build_critic(shape, classes)),
        torch.zeros(2, *shape),
        *_conditions(model, classes),
        what=f"the critic of model '{model.name}'",
    )


def _conditions(model: Model, classes: int | None) -> list[Tensor]:
    """Of two samples: classes and log λ, as far as the model takes them."""
    labels = [torch.zeros(2, dtype=torch.int64)] if model.conditional and classes is not None else []
    return labels + ([torch.zeros(2)] if model.takes_lam else [])


def _check_output(network: Stack, method: str, due: set[tuple[int, ...]]) -> None:
    found = network.output_shapes[method]
    if found not in due:
        what = network.what if method == "forward" else f"{method} of {network.what}"
        raise ValueError(
            f"{what} must return {' or '.join(map(str, sorted(due)))} for two samples, got {found}"
        )
