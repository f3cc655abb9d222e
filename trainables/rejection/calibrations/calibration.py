"""What a calibration is: it turns the scores of a critic into log r = log p/q, T trials side by side.

It is fitted on scores of real and of generated points that the critic was not trained on. It never turns the order of
two scores round, and autograd goes through it: refinements climb the gradient of log r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from trainables.rejection.obrs import LOG_EXTREME

__all__ = ["Calibration", "bounded", "checked", "log_mean_ratio"]

_FARTHEST = 1e150
"""Finite scores are read inside ±_FARTHEST: twice as much, and a product with a slope, are still numbers."""


@dataclass(frozen=True, eq=False)
class Calibration(ABC):
    """A fitted map from scores (T, n) to log ratios (T, n); its fields are float64 tensors whose first axis is T.

    Attributes:
        name: what it is called in files.
    """

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def fit(cls, real: Tensor, fake: Tensor) -> Self:
        """From scores of held-out real points (T, N) and of generated ones (T, M), as ``checked`` takes them."""

    @abstractmethod
    def log_ratio(self, scores: Tensor) -> Tensor:
        """Log r at scores (T, n), in their shape, dtype and on their device, inside ±``LOG_EXTREME``.

        It rises with the score, or stays; ±inf is read as its limit. A NaN stays a NaN: this is called inside loops on
        a device, where asking would stall it; ``fit`` asks.
        """

    def check(self) -> None:
        """Raise ValueError where the fields, which a file may have told, are no such map."""
        told = self.tensors()
        if len({len(values) for values in told.values()}) > 1:
            lengths = ", ".join(f"{name} {len(values)}" for name, values in told.items())
            raise ValueError(
                f"the fields of calibration {self.name!r} must be of as many trials, got {lengths}"
            )
        for name, values in told.items():
            if not bool(values.isfinite().all()):
                raise ValueError(f"{name} of calibration {self.name!r} must be finite numbers")

    def tensors(self) -> dict[str, Tensor]:
        """Its fields by name: all that has to be kept of it, beside its name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def trial(self, place: int) -> Self:
        """The calibration of one of the trials: its fields are (1, …)."""
        return type(self)(**{name: values[place : place + 1] for name, values in self.tensors().items()})

    def to(self, device: torch.device | str) -> Self:
        """The same on another device."""
        return type(self)(**{name: values.to(device) for name, values in self.tensors().items()})

    def plain(self) -> dict[str, Any]:
        """Its name and its fields as lists of numbers, which JSON keeps exactly; ``read_calibration`` reads it."""
        return {"name": self.name, **{name: values.tolist() for name, values in self.tensors().items()}}

    @classmethod
    def read(cls, told: Mapping[str, Any], device: torch.device | str = "cpu") -> Self:
        """What ``plain`` or ``tensors`` gave; ValueError if it is not that."""
        wanted = {field.name for field in fields(cls)}
        if set(told) - {"name"} != wanted:
            raise ValueError(
                f"calibration {cls.name!r} must have {', '.join(sorted(wanted)) or 'no fields'}, "
                f"got {', '.join(sorted(map(str, set(told) - {'name'}))) or 'none'}"
            )
        try:
            values = {
                name: torch.as_tensor(told[name], dtype=torch.float64, device=device) for name in wanted
            }
        except (TypeError, ValueError, RuntimeError, OverflowError) as error:
            raise ValueError(f"the fields of calibration {cls.name!r} must be arrays of numbers") from error
        found = cls(**values)
        found.check()
        return found


def checked(real: Tensor, fake: Tensor) -> tuple[Tensor, Tensor]:
    """Scores to fit on, (T, N) and (T, M), detached, in float64 and finite.

    ±inf is read as a score that lies as far beyond the trial's finite ones as those lie apart: their order stays, and
    no single one outweighs all others. NaN, a kind without points and unequal T are refused. O(T·(N+M)).
    """
    if real.ndim != 2 or fake.ndim != 2 or len(real) != len(fake):
        raise ValueError(
            "scores must be (T, N) of real and (T, M) of generated points, "
            f"got {tuple(real.shape)} and {tuple(fake.shape)}"
        )
    if not real.shape[1] or not fake.shape[1]:
        raise ValueError(
            f"calibration needs points of both kinds, got {real.shape[1]} real and {fake.shape[1]} generated"
        )
    for kind, scores in (("real", real), ("generated", fake)):
        amiss = scores.isnan().sum(dim=1).tolist()
        for trial, count in enumerate(amiss):
            if count:
                raise ValueError(
                    f"scores must be numbers, but {count} of {scores.shape[1]} of {kind} points of trial {trial} "
                    "are NaN; its critic has diverged: leave the trial out, or train it again more slowly"
                )
    both = torch.cat((real, fake), dim=1).detach().double()
    endless = both.isinf()
    inside = both.clamp(-_FARTHEST, _FARTHEST)
    low = torch.where(endless, torch.inf, inside).amin(dim=1, keepdim=True)
    high = torch.where(endless, -torch.inf, inside).amax(dim=1, keepdim=True)
    none = low > high
    low, high = low.masked_fill(none, 0.0), high.masked_fill(none, 0.0)
    apart = torch.where(high > low, high - low, 1.0)
    both = torch.where(endless, torch.where(both > 0, high + apart, low - apart), inside)
    return both[:, : real.shape[1]], both[:, real.shape[1] :]


def bounded(log_ratio: Tensor, like: Tensor) -> Tensor:
    """Log ratios inside ±``LOG_EXTREME``, where ``obrs`` reads them, in the dtype of the scores they are of."""
    return log_ratio.clamp(-LOG_EXTREME, LOG_EXTREME).to(like.dtype)


def log_mean_ratio(log_ratio: Tensor) -> Tensor:
    """log E_Q[r], (T,), from log r at generated points (T, M): 0 of a ratio of densities."""
    count = torch.full((), log_ratio.shape[1], dtype=torch.float64, device=log_ratio.device)
    return log_ratio.double().logsumexp(dim=1) - count.log()
