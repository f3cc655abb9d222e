"""T copies of one module, side by side: parameters as one (T, P) matrix, buffers beside them.

Parameters of a population live flat, so that an optimiser step, a moving average, a checkpoint or the removal of a
trial is one operation on rows. The module itself is written for one trial, by whoever wrote it, and mapped over rows by
``torch.func.vmap``; a stack of one calls it directly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from trainables.lipschitz.layers import parts_of, seen_inputs
from trainables.models.layers.methods import Face
from trainables.models.layers.stacked import stack_of
from trainables.training.channels_last import channels_last, follows, pays
from trainables.training.compiled import compiled
from trainables.training.pure_randomness import ImpureRandomness, PureRandomness

__all__ = ["Buffers", "Stack"]

_NUMBERS = 1 << 28
"""Numbers that the widest layer has for all rows that pass at a time, where nothing is trained."""

Buffers = dict[str, Tensor]
"""Buffers of T stacked modules by name, each (T, *shape); updated in place by modules in training."""


class Stack:
    """One architecture, many rows.

    Attributes:
        shapes: parameter shapes by name, in the order they lie in a row.
        size: P, parameters of one trial.
        buffers: shapes and types of the buffers by name, none for most modules.
        parts: what its Lipschitz constant is bounded by (``trainables.lipschitz.parts``); None if that is not known.
        what: its name in errors.
        random: whether the forward pass, or another method that was tried, draws random numbers.
        output_shapes: of what was tried, by method.
    """

    def __init__(
        self,
        build: Callable[[], nn.Module],
        *example: Tensor,
        what: str = "a module",
        methods: Mapping[str, Sequence[Tensor]] = MappingProxyType({}),
    ) -> None:
        """``example``: inputs of one trial, with which the module is tried, and ``methods`` likewise, by name.

        ``what`` names it in errors.
        """
        self._build = build
        self.what = what
        with torch.random.fork_rng(devices=[]):  # the caller's random state stays as it is
            torch.manual_seed(0)
            module = build()
        self.shapes = {name: tuple(p.shape) for name, p in module.named_parameters()}
        self._sizes = [math.prod(shape) for shape in self.shapes.values()]
        self.size = sum(self._sizes)
        self.buffers = {name: (tuple(b.shape), b.dtype) for name, b in module.named_buffers()}
        tried = {**({"forward": example} if example else {}), **methods}
        with seen_inputs(module) as shapes:
            found = {method: self._tried(module, method, inputs) for method, inputs in tried.items()}
        self.parts = parts_of(module, shapes)
        self._widest = max((_numbers(layer, shape) for layer, shape in shapes.items()), default=1.0)
        self.random = any(random for random, _ in found.values())
        self.output_shapes = {method: shape for method, (_, shape) in found.items()}
        self._channels_last = (
            bool(example)
            and torch.cuda.is_available()
            and follows(module, lambda: [self._tried(module, *one) for one in tried.items()])
        )
        self._face = Face(module).to("meta")  # values come from the rows
        self._normalising = _in_float32(module)
        self._trained_in: torch.dtype | None = None
        self._compiles = False
        self._stands = False
        self._in_training: dict[tuple[str, bool], Callable[..., Tensor]] = {}

    def tune(self, trained_in: torch.dtype | None, compiles: bool) -> None:
        """How the module is called in training: in another type than that of its parameters, compiled by torch.

        The type is that of ``forward`` alone: a density is a sum over every coordinate, and needs its digits.
        """
        self._trained_in, self._compiles = trained_in, compiles and not self.random
        self._in_training = {}

    def stand(self) -> None:
        """From now on it is called as in use, in training too: its buffers stay as they are."""
        self._stands = True

    def _tried(
        self, module: nn.Module, method: str, example: Sequence[Tensor]
    ) -> tuple[bool, tuple[int, ...]]:
        """Whether a method asks for random numbers, and the shape it returns; refuses what does not run."""
        if not self.size:
            raise ValueError(f"{self.what} must have parameters to train, got none")
        what = self.what if method == "forward" else f"{method} of {self.what}"
        if not callable(getattr(module, method, None)):
            raise ValueError(f"{self.what} must have a method {method}(x), which its model promises")
        before, state = dict(module.named_buffers()), torch.get_rng_state()
        with torch.no_grad(), PureRandomness(torch.zeros((), dtype=torch.int64)) as mode:
            try:
                out = Face(module)(method, *example)
            except ImpureRandomness as error:
                raise ValueError(f"{what} is random in a way that cannot be repeated: {error}") from error
            except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
                shapes = ", ".join(str(tuple(x.shape)) for x in example)
                reason = str(error).strip().splitlines()[0]
                raise ValueError(f"{what} cannot take inputs of shape {shapes}: {reason}") from error
        replaced = [name for name, buffer in module.named_buffers() if buffer is not before.get(name)]
        if replaced:
            raise ValueError(
                f"{what} replaces its buffer '{replaced[0]}', which is lost in a stack; change it in place, "
                f"as in self.{replaced[0]}.copy_(…)"
            )
        if not torch.equal(state, torch.get_rng_state()):
            raise ValueError(
                f"{what} draws from torch's own generator, so that no trial could be repeated; use nn.Dropout, "
                "torch.rand_like, torch.randn_like or torch.bernoulli"
            )
        if not isinstance(out, Tensor):
            raise ValueError(f"{what} must return a tensor, got {type(out).__name__}")
        return mode.used > 0, tuple(out.shape)

    def initial(self, seeds: Sequence[int], device: torch.device) -> tuple[Tensor, Buffers]:
        """(T, P) fresh parameters and fresh buffers; row t depends on seeds[t] alone."""
        rows, buffers = [], []
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                module = self._build()
            rows.append(torch.cat([p.detach().reshape(-1) for p in module.parameters()]))
            buffers.append(dict(module.named_buffers()))
        stacked = {name: torch.stack([b[name].detach() for b in buffers]).to(device) for name in self.buffers}
        return torch.stack(rows).to(device), stacked

    def unflatten(self, flat: Tensor) -> dict[str, Tensor]:
        """(T, P) → parameters by name, each (T, *shape): views. The gradient is one concatenation."""
        parts = flat.split(self._sizes, dim=1)
        return {
            name: part.reshape(-1, *shape)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def flatten(self, parameters: Mapping[str, Tensor]) -> Tensor:
        """(T, P) of parameters by name, each (T, *shape)."""
        return torch.cat(
            [parameters[name].reshape(-1, n) for name, n in zip(self.shapes, self._sizes, strict=True)], 1
        )

    def __call__(
        self,
        parameters: dict[str, Tensor],
        buffers: Buffers,
        *inputs: Tensor,
        keys: Tensor | None = None,
        training: bool = False,
        method: str = "forward",
    ) -> Tensor:
        """Apply row t to inputs[…][t]: parameters as from ``unflatten``, inputs (T, …) → (T, …).

        In ``training`` buffers are updated in place. ``keys`` (T,) decide what a random forward pass draws.
        Outside of it rows pass in parts, so that what layers need in between does not grow with T.
        """
        training = training and not self._stands
        trials, points = inputs[0].shape[:2]
        step = max(1, int(_NUMBERS // (self._widest * max(1, points))))
        if training or trials <= step:
            return self._passed(parameters, buffers, inputs, keys, training, method)
        parts = []
        for rows in (slice(at, at + step) for at in range(0, trials, step)):
            values, state = ({name: v[rows] for name, v in given.items()} for given in (parameters, buffers))
            chosen = None if keys is None else keys[rows]
            parts.append(self._passed(values, state, [x[rows] for x in inputs], chosen, training, method))
        return torch.cat(parts)

    def _passed(
        self,
        parameters: dict[str, Tensor],
        buffers: Buffers,
        inputs: Sequence[Tensor],
        keys: Tensor | None,
        training: bool,
        method: str,
    ) -> Tensor:
        """All rows at once."""
        if self._face.training != training:
            self._face.train(training)
        if self.random and keys is None:
            raise ValueError(f"{self.what} draws random numbers in its forward pass and needs keys")
        row = next(iter(parameters.values()))
        alone = row.shape[0] == 1
        if training and alone and self._channels_last and pays(row.device, self._type(method)):
            parameters = channels_last(parameters)
        state = {f"inner.{name}": values for name, values in {**parameters, **buffers}.items()}
        chosen = keys if self.random else None
        apply = self._trained(method, alone) if training else self._applied(method, alone, None)
        try:
            with stack_of(row.shape[0]):
                return apply(state, chosen, *inputs)
        except RuntimeError as error:
            if alone or ("vmap" not in str(error) and "Batching rule" not in str(error)):
                raise
            raise ValueError(
                f"{self.what} cannot be stacked ({str(error).splitlines()[0]}); set stacks = False in its model"
            ) from error

    def _type(self, method: str) -> torch.dtype | None:
        """That a method computes in when it is trained; None for that of the parameters."""
        return self._trained_in if method == "forward" else None

    def _trained(self, method: str, alone: bool) -> Callable[..., Tensor]:
        """A method as it is called in training."""
        if (method, alone) not in self._in_training:
            apply = self._applied(method, alone, self._type(method))
            self._in_training[method, alone] = compiled(apply) if self._compiles else apply
        return self._in_training[method, alone]

    def _applied(self, method: str, alone: bool, kind: torch.dtype | None) -> Callable[..., Tensor]:
        """The module as a function of (values, keys, inputs), each (T, …): mapped, or called on its one row."""
        products = set(self.shapes) - self._normalising

        def one(values: dict[str, Tensor], key: Tensor | None, *own: Tensor) -> Tensor:
            if kind is not None:
                values = {
                    name: value.to(kind) if name.removeprefix("inner.") in products else value
                    for name, value in values.items()
                }
                own = tuple(x.to(kind) if x.is_floating_point() else x for x in own)
            if key is None:
                out: Tensor = functional_call(self._face, values, (method, *own))
            else:
                with PureRandomness(key):
                    out = functional_call(self._face, values, (method, *own))
            return out if kind is None else out.float()

        def first(values: dict[str, Tensor], keys: Tensor | None, *inputs: Tensor) -> Tensor:
            row = {name: value[0] for name, value in values.items()}
            return one(row, None if keys is None else keys[0], *(x[0] for x in inputs)).unsqueeze(0)

        def each(values: dict[str, Tensor], keys: Tensor | None, *inputs: Tensor) -> Tensor:
            mapped: Any = vmap(one, in_dims=(0, None if keys is None else 0, *[0] * len(inputs)))
            out: Tensor = mapped(values, keys, *inputs)
            return out

        return first if alone else each


def _numbers(layer: nn.Module, shape: tuple[int, ...]) -> float:
    """What a layer needs for one sample of an input (n, …) of this shape; convolutions in a stack copy windows."""
    copies = 1.0
    if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d):
        copies = max(1.0, math.prod(layer.kernel_size) / math.prod(layer.stride))
    return copies * math.prod(shape[1:])


def _in_float32(module: nn.Module) -> set[str]:
    """Let normalising layers compute in float32 whatever they are given → names of their parameters, which stay so."""
    kinds = (nn.modules.batchnorm._NormBase, nn.GroupNorm, nn.LayerNorm)
    names = set()
    for name, layer in module.named_modules():
        if isinstance(layer, kinds):
            layer.forward = partial(_called_in_float32, layer.forward)  # type: ignore[method-assign]
            names |= {f"{name}.{own}" if name else own for own, _ in layer.named_parameters(recurse=False)}
    return names


def _called_in_float32(forward: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    return forward(x.float()).to(x.dtype)
