"""A constraint may leave every hook as it is; then nothing is constrained, and the certificate is the product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from trainables.constraints import CONSTRAINTS, Constraint
from trainables.models.layers.perceptron import MLPCritic
from trainables.training.stack import Stack


@dataclass(frozen=True)
class Idle(Constraint):
    """Leaves everything as it is."""

    name: ClassVar[str] = "idle"


def test_every_hook_may_be_left_as_it_is() -> None:
    member = CONSTRAINTS.add(Idle)()
    critic = Stack(lambda: MLPCritic((2,), (4,)))
    parameters = critic.unflatten(torch.randn(3, critic.size, generator=torch.Generator().manual_seed(0)))
    before = {name: values.clone() for name, values in parameters.items()}
    member.check_critic(critic)
    assert member.initial(critic) is None
    assert member.weights(critic, parameters, {}, None, update=True) is parameters
    assert member.final_weights(critic, parameters, {}) is parameters
    points = torch.zeros(3, 5, 2)
    assert member.penalty(lambda x: x.sum(-1), points, points, torch.ones(3, 5), {}) is None
    member.project(parameters, {})
    for name, values in before.items():
        assert torch.equal(parameters[name], values)
    norms = [torch.linalg.matrix_norm(parameters[name], ord=2) for name in ("0.weight", "2.weight")]
    torch.testing.assert_close(member.certificate(critic, parameters, {}), norms[0] * norms[1])


def test_without_layers_in_a_row_nothing_is_certified() -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(2, 1), nn.Linear(2, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.one(x) + self.two(x)

    critic = Stack(Sum)
    parameters = critic.unflatten(torch.ones(2, critic.size))
    assert Idle().certificate(critic, parameters, {}) is None
