"""Kernels with channels last: a layout only, which networks follow unless they take views of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from trainables.models.layers.resnet import ResNetCritic, ResNetGenerator
from trainables.training import stack as stacks
from trainables.training.channels_last import channels_last, follows, pays
from trainables.training.stack import Stack

CPU = torch.device("cpu")
LAST = torch.channels_last


class Viewing(nn.Module):
    """Flattens what it convolved as many do."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.linear = nn.Linear(4 * 8 * 8, 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.linear(self.conv(x).view(len(x), -1))
        return out


class Seen(nn.Module):
    """Notes the layout of what passes."""

    def __init__(self, found: list[bool]) -> None:
        super().__init__()
        self.found = found

    def forward(self, x: Tensor) -> Tensor:
        self.found.append(x.is_contiguous(memory_format=LAST))
        return x


def test_only_tensor_cores_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    card = torch.device("cuda")
    assert not pays(CPU, torch.bfloat16)
    assert pays(card, torch.bfloat16)
    for allowed in (True, False):
        monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", allowed)
        assert pays(card, None) is allowed


@pytest.mark.parametrize(
    ("build", "shape", "runs"),
    [
        (lambda: ResNetCritic(4, (3, 8, 8)), (3, 8, 8), True),
        (lambda: ResNetGenerator(5, 4, (3, 8, 8)), (5,), True),
        (Viewing, (3, 8, 8), False),
        (lambda: nn.Linear(3, 1), (3,), False),
    ],
    ids=["critic", "generator", "viewing", "without kernels"],
)
def test_who_follows_is_found_out_by_trying(
    build: Callable[[], nn.Module], shape: tuple[int, ...], runs: bool
) -> None:
    module, x = build(), torch.zeros(2, *shape)
    module(x)
    assert follows(module, lambda: module(x)) is runs


def test_a_trial_alone_is_called_with_its_kernels_so_and_says_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[bool] = []

    def build() -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), Seen(found), nn.Conv2d(4, 4, 3), nn.Flatten(), nn.Linear(4 * 36, 1)
        )

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    network = Stack(build, torch.zeros(2, 3, 8, 8))
    rows, buffers = network.initial([1], CPU)
    x = torch.randn(1, 5, 3, 8, 8, generator=torch.Generator().manual_seed(0))

    def called(training: bool = True) -> tuple[Tensor, Tensor, bool]:
        flat = rows.clone().requires_grad_()
        found.clear()
        out = network(network.unflatten(flat), buffers, x, training=training)
        (gradient,) = torch.autograd.grad(out.square().sum(), flat)
        return out.detach(), gradient, found[-1]

    plain, gradient, last = called()
    assert not last, "on a CPU nothing changes"
    monkeypatch.setattr(stacks, "pays", lambda device, kind: True)
    tuned, tuned_gradient, last = called()
    assert last
    torch.testing.assert_close(tuned, plain, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(tuned_gradient, gradient, rtol=1e-5, atol=1e-5)
    assert not called(training=False)[2], "what is measured is left alone"


def test_only_kernels_change_their_layout() -> None:
    rows = {
        "kernel": torch.randn(1, 4, 3, 3, 3),
        "matrix": torch.randn(1, 4, 3),
        "counts": torch.ones(1, 2, 2, 2, 2).long(),
    }
    made = channels_last(rows)
    assert made["kernel"][0].is_contiguous(memory_format=LAST)
    assert torch.equal(made["kernel"], rows["kernel"])
    assert made["matrix"] is rows["matrix"]
    assert made["counts"] is rows["counts"]
