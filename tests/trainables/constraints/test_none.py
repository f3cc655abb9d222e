"""A free critic is trained with the weights it has."""

from __future__ import annotations

import torch

from trainables.constraints import CONSTRAINTS
from trainables.constraints.none import Free
from trainables.models.layers.perceptron import MLPCritic
from trainables.training.stack import Stack


def test_nothing_is_changed_or_remembered() -> None:
    critic = Stack(lambda: MLPCritic((2,), (4,)))
    parameters = critic.unflatten(torch.ones(2, critic.size))
    assert Free().weights(critic, parameters, {}, None, update=True) is parameters
    assert Free().final_weights(critic, parameters, {}) is parameters
    assert Free().initial(critic) is None


def test_it_is_what_is_meant_where_none_is_named() -> None:
    assert CONSTRAINTS[CONSTRAINTS.default] is Free
    assert Free().signature() == ["none", 1, {}]
