"""What can be bounded is read, and told from everything else."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from trainables.lipschitz.layers import parts_of, seen_inputs
from trainables.lipschitz.parts import BatchNorm, Convolution, Dense, Row, Scale, Sum, linear_parts
from trainables.models.layers.branches import Branches
from trainables.models.layers.conv_shape import ConvShape
from trainables.models.layers.groupsort import GroupSort
from trainables.models.layers.stacked import SameConv


class Residual(nn.Sequential):
    """A sequence by type, but not by what it does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + super().forward(x)


class Doubled(Branches):
    """A sum by type, but not by what it does."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


class SumOfPixels(nn.Module):
    def known_norm(self, shape: tuple[int, ...]) -> float:
        return float((shape[-2] * shape[-1]) ** 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum((-2, -1))


class Loose(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)


def dense(*names: str) -> Row:
    return Row(tuple(map(Dense, names)))


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        (nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)), dense("0.weight", "2.weight")),
        (nn.Sequential(nn.Flatten(), nn.Linear(2, 1)), dense("1.weight")),
        (
            nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Tanh(), nn.Linear(2, 1))),
            dense("0.weight", "1.1.weight"),
        ),
        (
            nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.2), nn.ELU(), nn.Softplus(), nn.Identity()),
            dense("0.weight"),
        ),
        (nn.Sequential(nn.Linear(2, 2), GroupSort(), nn.Unflatten(1, (1, 2))), dense("0.weight")),
        (nn.Linear(2, 1), dense("weight")),
        (
            Branches(nn.Linear(2, 2), nn.Identity()),
            Row((Sum(dense("branch.weight"), Row(())),)),
        ),
        (
            nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4)),
            Row((Dense("0.weight"), BatchNorm("1.weight", "1.running_var", 1e-5))),
        ),
        (
            nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4, affine=False)),
            Row((Dense("0.weight"), BatchNorm(None, "1.running_var", 1e-5))),
        ),
        (nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4, track_running_stats=False)), None),
        (nn.Sequential(nn.Linear(2, 1), nn.LeakyReLU(2.0)), None),
        (nn.Sequential(nn.Linear(2, 1), nn.LeakyReLU(-1.0)), dense("0.weight")),
        (nn.Sequential(nn.Linear(2, 1), nn.ELU(alpha=2.0)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.LayerNorm(4)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.GELU()), None),
        (nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5)), None),
        (nn.Sequential(nn.Linear(2, 4), nn.MultiheadAttention(4, 1)), None),
        (nn.Sequential(nn.Conv2d(1, 1, 3)), None),  # of which size its images are nobody has seen
        (nn.Sequential(nn.Linear(2, 2), Residual(nn.Linear(2, 2))), None),
        (Residual(nn.Linear(2, 2)), None),
        (Doubled(nn.Linear(2, 2), nn.Identity()), None),
        (Loose(), None),
    ],
)
def test_only_what_is_certain_is_read(module: nn.Module, parts: Row | None) -> None:
    assert parts_of(module) == parts
    if parts:
        weights = dict(module.named_parameters())
        assert all(weights[part.weight].ndim == 2 for part in linear_parts(parts))


def read(module: nn.Module, *shape: int) -> Row | None:
    with seen_inputs(module) as shapes, torch.no_grad():
        module(torch.zeros(2, *shape))
    return parts_of(module, shapes)


def convolution(*side: int, **form: Any) -> Row:
    return Row((Convolution("0.weight", ConvShape(**form), side),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("layer", "parts"),
    [
        (nn.Conv2d(3, 5, 4, 2, 1), convolution(8, 6, stride=2, padding=1)),
        (nn.Conv2d(3, 5, (3, 1)), convolution(8, 6)),
        (
            nn.ConvTranspose2d(3, 5, 4, 2, 1),
            convolution(16, 12, stride=2, padding=1, transposed=True, input_first=True),
        ),
        (
            nn.ConvTranspose2d(3, 5, 3, 2, 1, output_padding=1),
            convolution(16, 12, stride=2, padding=1, transposed=True, input_first=True),
        ),
        (nn.AvgPool2d(2), Row((Scale(0.5),))),
        (nn.Upsample(scale_factor=2), Row((Scale(2.0),))),
        (nn.PixelUnshuffle(2), Row(())),
        (nn.Conv2d(3, 6, 3, groups=3), None),
        (nn.Conv2d(3, 5, 3, dilation=2), None),
        (nn.Conv2d(3, 5, 3, padding=1, padding_mode="reflect"), None),
        (nn.Conv2d(3, 5, 3, padding="same"), None),
        (nn.Conv2d(3, 5, 3, stride=(1, 2)), None),
        (nn.Conv2d(3, 5, 1, padding=1), None),
        (nn.AvgPool2d(3, 2), None),
        (nn.MaxPool2d(2), None),
        (nn.Upsample(scale_factor=2, mode="bilinear"), None),
        (nn.Upsample(scale_factor=1.5), None),
    ],
)
def test_layers_of_images_are_read_with_the_size_they_were_given(layer: nn.Module, parts: Row | None) -> None:
    assert read(nn.Sequential(layer), 3, 8, 6) == parts


def test_a_layer_of_ones_own_says_that_it_is_a_convolution() -> None:
    class Own(nn.Module):
        as_convolution = ConvShape(stride=2, padding=1, channels_last=True)

        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(5, 3, 4, 4))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.conv2d(x.permute(0, 3, 1, 2), self.weight, stride=2, padding=1)

    assert read(nn.Sequential(Own()), 8, 6, 3) == convolution(8, 6, stride=2, padding=1, channels_last=True)


@pytest.mark.parametrize("kind", [nn.AvgPool2d, nn.Upsample, SumOfPixels, SameConv])
def test_a_layer_that_does_something_else_than_its_class_is_not_trusted(kind: type[nn.Module]) -> None:
    class Steep(kind):  # type: ignore[misc, valid-type]
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 100 * super().forward(x)

    given: dict[type[nn.Module], tuple[object, ...]] = {
        nn.AvgPool2d: (2,), nn.Upsample: (None, 2), SameConv: (3, 3, 3),
    }  # fmt: skip
    assert read(nn.Sequential(kind(*given.get(kind, ()))), 3, 8, 6) is not None
    assert read(nn.Sequential(Steep(*given.get(kind, ()))), 3, 8, 6) is None


def test_who_says_that_children_come_in_a_row_must_have_the_last_word() -> None:
    class Said(nn.Module):
        in_a_row = ("first", "second")

        def __init__(self) -> None:
            super().__init__()
            self.second, self.first = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.second(self.first(x))

    class Louder(Said):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * super().forward(x)

    assert parts_of(Said()) == dense("first.weight", "second.weight")
    assert parts_of(Louder()) is None


def test_a_row_may_be_of_deeper_submodules_and_only_sometimes_one() -> None:
    class Stages(nn.Module):
        def __init__(self, plain: bool) -> None:
            super().__init__()
            self.plain = plain
            self.norms = nn.ModuleList([nn.BatchNorm1d(2), nn.Identity()])
            self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

        @property
        def in_a_row(self) -> tuple[str, ...] | None:
            return ("layers.0", "norms.0", "layers.1", "norms.1") if self.plain else None

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.norms[1](self.layers[1](torch.relu(self.norms[0](self.layers[0](x)))))

    norm = BatchNorm("norms.0.weight", "norms.0.running_var", 1e-5)
    assert parts_of(Stages(True)) == Row((Dense("layers.0.weight"), norm, Dense("layers.1.weight")))
    assert parts_of(Stages(False)) is None


def test_a_layer_without_parameters_may_say_its_norm() -> None:
    class WithWeights(SumOfPixels):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

    assert read(nn.Sequential(SumOfPixels()), 3, 2, 8) == Row((Scale(4.0),))
    assert parts_of(nn.Sequential(SumOfPixels())) is None
    assert read(nn.Sequential(WithWeights()), 3, 2, 8) is None


def test_a_layer_used_twice_is_not_counted_once() -> None:
    shared = nn.Linear(2, 2)
    assert parts_of(nn.Sequential(shared, nn.ReLU(), shared)) is None
    assert parts_of(Branches(shared, shared)) is None
    pool = nn.AvgPool2d(2)
    both = Branches(nn.Sequential(nn.Conv2d(1, 1, 3, padding=1), pool), nn.Sequential(pool))
    assert read(nn.Sequential(both), 1, 4, 4) is not None  # nothing is trained there
    summed = SumOfPixels()
    assert (
        read(nn.Sequential(Branches(summed, nn.Sequential(pool, summed))), 1, 4, 4) is None
    )  # of which size?


def test_a_linear_layer_that_does_more_is_not_trusted() -> None:
    class Loud(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 10 * super().forward(x)

    assert parts_of(nn.Sequential(Loud(2, 1))) is None


def test_a_layer_whose_weight_is_computed_is_not_trusted() -> None:
    assert parts_of(nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(2, 1)))) is None


def test_layers_that_share_a_weight_are_not_trusted() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight = first.weight
    assert parts_of(nn.Sequential(first, nn.ReLU(), second)) is None
    assert parts_of(nn.Sequential(nn.Sequential(first), nn.ReLU(), nn.Sequential(second))) is None
