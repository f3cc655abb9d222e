"""Linear layers in a row are told from everything else."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainables.lipschitz.layers import linear_layers


class Residual(nn.Sequential):
    """A sequence by type, but not by what it does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + super().forward(x)


class Loose(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)), ("0.weight", "2.weight")),
        (nn.Sequential(nn.Flatten(), nn.Linear(2, 1)), ("1.weight",)),
        (
            nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Tanh(), nn.Linear(2, 1))),
            ("0.weight", "1.1.weight"),
        ),
        (
            nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.2), nn.ELU(), nn.Softplus(), nn.Identity()),
            ("0.weight",),
        ),
        (nn.Sequential(nn.Linear(2, 1), nn.LeakyReLU(2.0)), None),
        (nn.Sequential(nn.Linear(2, 1), nn.LeakyReLU(-1.0)), ("0.weight",)),
        (nn.Sequential(nn.Linear(2, 1), nn.ELU(alpha=2.0)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.LayerNorm(4)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.GELU()), None),
        (nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5)), None),
        (nn.Sequential(nn.Conv2d(1, 1, 3)), None),
        (nn.Sequential(nn.Linear(2, 2), Residual(nn.Linear(2, 2))), None),
        (Residual(nn.Linear(2, 2)), None),
        (nn.Linear(2, 1), None),
        (Loose(), None),
    ],
)
def test_only_what_is_certain_is_named(module: nn.Module, names: tuple[str, ...] | None) -> None:
    assert linear_layers(module) == names
    if names:
        weights = dict(module.named_parameters())
        assert all(weights[name].ndim == 2 for name in names)


def test_a_layer_used_twice_is_not_counted_once() -> None:
    shared = nn.Linear(2, 2)
    module = nn.Sequential(shared, nn.ReLU(), shared)
    assert linear_layers(module) in (None, ("0.weight", "0.weight"), ("0.weight", "2.weight"))


def test_a_linear_layer_that_does_more_is_not_trusted() -> None:
    class Loud(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 10 * super().forward(x)

    assert linear_layers(nn.Sequential(Loud(2, 1))) is None


def test_a_layer_whose_weight_is_computed_is_not_named_by_a_parameter_it_has_not() -> None:
    module = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(2, 1)))
    names = linear_layers(module)
    assert names is None or set(names) <= {name for name, _ in module.named_parameters()}


def test_layers_that_share_a_weight_are_not_trusted() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    assert linear_layers(nn.Sequential(first, nn.ReLU(), second)) is None
    assert linear_layers(nn.Sequential(nn.Sequential(first), nn.ReLU(), nn.Sequential(second))) is None
