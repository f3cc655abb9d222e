"""A module behind its face: the same parameters, any method."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import functional_call

from trainables.models.layers.methods import Face


class Scaled(nn.Module):
    """x → a x, and a method beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x: Tensor) -> Tensor:
        return self.scale * x

    def shifted(self, x: Tensor, by: float) -> tuple[Tensor, Tensor]:
        return self.scale * x + by, self.scale


def test_methods_take_the_values_of_the_call() -> None:
    face, x = Face(Scaled()), torch.tensor([1.0, 3.0])
    values = {"inner.scale": torch.tensor(5.0)}
    assert functional_call(face, values, ("forward", x)).tolist() == [5.0, 15.0]
    y, scale = functional_call(face, values, ("shifted", x, 0.5))
    assert (y.tolist(), float(scale)) == ([5.5, 15.5], 5.0)
    assert face("forward", x).tolist() == [2.0, 6.0]


def test_forward_runs_the_hooks_of_the_module() -> None:
    module, seen = Scaled(), []
    module.register_forward_hook(lambda _module, _inputs, out: seen.append(out))
    Face(module)("forward", torch.ones(1))
    assert len(seen) == 1
