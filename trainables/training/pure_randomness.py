"""Randomness inside a forward pass as a pure function of (seed, stream, step).

``nn.Dropout``, ``torch.randn_like`` and their kin draw from a generator with state: a trial would depend on its
neighbours and on interruptions. While this mode is on they are answered with hashed numbers instead, of a key that
every trial of a stack has for every step; so they are the same alone, in any pack, on any device and after any resume.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from trainables.randomness import hashed_normals, hashed_uniforms

__all__ = ["ImpureRandomness", "PureRandomness"]

Rule = Callable[..., Tensor]


class ImpureRandomness(ValueError):
    """A forward pass asks for random numbers that cannot be made a function of (seed, step)."""


class PureRandomness(TorchFunctionMode):
    """Answers random functions from ``key``, an int64 scalar (of one trial, under ``vmap``).

    ``used`` tells whether anything random was asked for.
    """

    def __init__(self, key: Tensor) -> None:
        super().__init__()
        self._key = key
        self.used = 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Random functions by our rules, all others as they are."""
        rule = _RULES.get(func)
        if rule is None:
            return func(*args, **(kwargs or {}))
        return rule(self, *args, **(kwargs or {}))

    def _next(self) -> Tensor:
        self.used += 1
        return self._key + self.used

    def uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Uniforms in (0, 1]."""
        return hashed_uniforms(self._next(), shape)

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        """Standard normals."""
        return hashed_normals(self._next(), shape)


def _dropout(
    mode: PureRandomness, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    if not training or p == 0:
        return x
    kept = (mode.uniform(tuple(x.shape)) > p).to(x.dtype)
    return x * kept / (1 - p) if p < 1 else x * 0


def _channel_dropout(
    mode: PureRandomness, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Whole channels: x (n, c, …)."""
    if not training or p == 0:
        return x
    kept = (mode.uniform(tuple(x.shape[:2])) > p).to(x.dtype)
    return x * kept.reshape(*x.shape[:2], *[1] * (x.ndim - 2)) / (1 - p) if p < 1 else x * 0


def _size(args: tuple[Any, ...], size: Any) -> tuple[int, ...]:
    given = size if size is not None else args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    return tuple(int(n) for n in given)


def _bernoulli(mode: PureRandomness, x: Tensor, p: float | None = None, **_: Any) -> Tensor:
    """Ones with probability x, or p."""
    share = x if p is None else torch.full_like(x, p)
    return (mode.uniform(tuple(x.shape)) <= share).to(x.dtype)


def _normal(
    mode: PureRandomness, mean: Tensor | float, std: Tensor | float = 1.0, size: Any = None, **options: Any
) -> Tensor:
    """Normals of given means and deviations."""
    like = next((v for v in (mean, std) if isinstance(v, Tensor)), None)
    shape = _size((), size) if like is None else tuple(like.shape)
    return mode.normal(shape).to(options.get("dtype") or torch.float32) * std + mean


def _like(draw: str) -> Rule:
    def rule(mode: PureRandomness, x: Tensor, *, dtype: torch.dtype | None = None, **_: Any) -> Tensor:
        numbers: Tensor = getattr(mode, draw)(tuple(x.shape))
        return numbers.to(dtype or x.dtype)

    return rule


def _sized(draw: str) -> Rule:
    def rule(
        mode: PureRandomness, *args: Any, size: Any = None, dtype: torch.dtype | None = None, **_: Any
    ) -> Tensor:
        numbers: Tensor = getattr(mode, draw)(_size(args, size))
        return numbers.to(dtype or torch.float32)

    return rule


def _refused(name: str) -> Rule:
    """A function that would draw from torch's own generator, behind our back."""

    def rule(*_: Any, **__: Any) -> Tensor:
        raise ImpureRandomness(
            f"it calls {name}, which draws from torch's own generator; use nn.Dropout, torch.rand_like, "
            "torch.randn_like or torch.bernoulli, whose numbers are a function of (seed, step)"
        )

    return rule


_RULES: dict[Any, Rule] = {
    F.dropout: _dropout,
    torch.dropout: lambda mode, x, p, train: _dropout(mode, x, p, train),
    F.dropout1d: _channel_dropout,
    F.dropout2d: _channel_dropout,
    F.dropout3d: _channel_dropout,
    torch.rand_like: _like("uniform"),
    torch.randn_like: _like("normal"),
    torch.rand: _sized("uniform"),
    torch.randn: _sized("normal"),
    torch.normal: _normal,
    torch.bernoulli: _bernoulli,
    Tensor.bernoulli: _bernoulli,
    **{
        getattr(owner, name): _refused(name)
        for owner, names in (
            (F, ("alpha_dropout", "feature_alpha_dropout", "gumbel_softmax", "rrelu")),
            (torch, ("multinomial", "poisson", "randint", "randint_like", "randperm", "binomial")),
            (
                Tensor,
                ("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "multinomial", "normal_",
                 "random_", "uniform_"),
            ),
        )
        for name in names
    },
}  # fmt: skip
