"""Perceptrons of log λ: shapes, the way in beside the input, and the modulation of hidden layers."""

from __future__ import annotations

import torch
from torch import nn

from trainables.models.layers.modulated import LamCritic, LamGenerator


def test_shapes_of_points_and_images() -> None:
    z, log_lam = torch.randn(6, 3), torch.randn(6)
    for shape in ((2,), (1, 4, 5)):
        x = LamGenerator(3, (8, 8), shape, slope=0.0, bounded=False)(z, log_lam)
        assert x.shape == (6, *shape)
        assert LamCritic(shape, (8,))(x, log_lam).shape == (6, 1)


def test_bounded_images() -> None:
    torch.manual_seed(0)
    free, bounded = (LamGenerator(3, (8,), (1, 4, 4), slope=0.0, bounded=b) for b in (False, True))
    bounded.load_state_dict(free.state_dict())
    z, log_lam = 10 * torch.randn(6, 3), torch.randn(6)
    torch.testing.assert_close(bounded(z, log_lam), torch.tanh(free(z, log_lam)))


def test_lam_acts_at_once_beside_the_input_and_later_on_hidden_layers() -> None:
    torch.manual_seed(0)
    critic, x = LamCritic((2,), (8, 8)), torch.randn(6, 2)
    low, high = torch.full((6,), -2.0), torch.full((6,), 2.0)
    assert not torch.allclose(critic(x, low), critic(x, high))
    with torch.no_grad():
        critic.net.layers[0].weight[:, -1] = 0.0  # type: ignore[index, operator]
    assert torch.equal(critic(x, low), critic(x, high))
    for film in critic.net.films:
        nn.init.normal_(film.weight)  # type: ignore[arg-type]
    assert not torch.allclose(critic(x, low), critic(x, high))


def test_every_sample_has_its_own_lam() -> None:
    critic, x = LamCritic((2,), (8,)), torch.randn(3, 2)
    lams = torch.tensor([-1.0, 0.0, 1.0])
    alone = torch.cat([critic(x[i : i + 1], lams[i : i + 1]) for i in range(3)])
    torch.testing.assert_close(critic(x, lams), alone)
