"""T copies of one module as a single (T, P) matrix: a trial is a row.

Parameters of a population live flat, so that an optimiser step, a moving average, a checkpoint or the removal of a
trial is one operation on rows. The module itself is written for one trial and mapped over rows by ``torch.func.vmap``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

__all__ = ["Stack"]


class Stack:
    """One architecture, many parameter rows.

    Attributes:
        shapes: parameter shapes by name, in the order they lie in a row.
        size: P, parameters of one trial.
    """

    def __init__(self, build: Callable[[], nn.Module]) -> None:
        self._build = build
        with torch.device("meta"):  # shapes only: no memory, and the caller's random state stays as it is
            self._module = build()
        self.shapes = {name: tuple(p.shape) for name, p in self._module.named_parameters()}
        self._sizes = [math.prod(shape) for shape in self.shapes.values()]
        self.size = sum(self._sizes)

    @property
    def module(self) -> nn.Module:
        """The architecture, without values."""
        return self._module

    def initial(self, seeds: Sequence[int], device: torch.device) -> Tensor:
        """(T, P) fresh parameters; row t depends on seeds[t] alone."""
        rows = []
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                module = self._build()
            rows.append(torch.cat([p.detach().reshape(-1) for p in module.parameters()]))
        return torch.stack(rows).to(device)

    def unflatten(self, flat: Tensor) -> dict[str, Tensor]:
        """(T, P) → parameters by name, each (T, *shape). The gradient is one concatenation."""
        parts = flat.split(self._sizes, dim=1)
        return {
            name: part.reshape(-1, *shape)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def __call__(self, parameters: dict[str, Tensor], x: Tensor, **options: Any) -> Tensor:
        """Apply row t to x[t]: parameters as from ``unflatten``, x (T, …) → (T, …)."""

        def one(params: dict[str, Tensor], inputs: Tensor) -> Tensor:
            out: Tensor = functional_call(self._module, params, (inputs,), options)
            return out

        mapped: Tensor = vmap(one)(parameters, x)
        return mapped
