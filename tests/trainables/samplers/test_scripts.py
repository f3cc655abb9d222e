"""A TorchScript file is called as it is; what it cannot do is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.trainables.samplers.scripts import Critic, Generator, Images, Noisy, Stopped, saved
from trainables.samplers.scripts import Script

CPU = torch.device("cpu")


class Pair(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x


def test_it_answers_in_float32_whatever_its_numbers_are(tmp_path: Path) -> None:
    script = Script(saved(Images(), tmp_path / "g.pt"), "generator", CPU)
    found = script(torch.ones(3, 4, 1, 1))
    assert found.dtype == torch.float32
    assert found.shape == (3, 1, 8, 8)
    torch.testing.assert_close(found, Images()(torch.ones(3, 4, 1, 1).double()).float())


def test_its_random_numbers_are_those_of_a_seed_and_nobody_else_notices(tmp_path: Path) -> None:
    script, z = Script(saved(Noisy(), tmp_path / "g.pt"), "generator", CPU), torch.zeros(100, 1)
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, other, same = script(z, 1), script(z, 2), script(z, 1)
    assert torch.rand(1) == expected
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_latents_are_read_from_an_attribute(tmp_path: Path) -> None:
    for network, latent in ((Generator(), (1,)), (Images(), (4, 1, 1)), (Critic(), None)):
        assert Script(saved(network, tmp_path / "g.pt"), "generator", CPU).latent() == latent


def test_a_frozen_network_has_gradients_too(tmp_path: Path) -> None:
    torch.jit.freeze(torch.jit.script(Generator().eval())).save(str(tmp_path / "g.pt"))
    script, z = Script(tmp_path / "g.pt", "generator", CPU), torch.zeros(2, 1, requires_grad=True)
    (slope,) = torch.autograd.grad(script(z).sum(), z)
    assert slope.tolist() == [[1.0], [1.0]]


def test_gradients_that_are_stopped_are_told_only_where_they_are_wanted(tmp_path: Path) -> None:
    script = Script(saved(Stopped(), tmp_path / "g.pt"), "generator", CPU)
    assert script(torch.ones(2, 1)).tolist() == [[1.0], [1.0]]
    with torch.no_grad():
        script(torch.ones(2, 1, requires_grad=True))
    with pytest.raises(ValueError, match=r"the generator .*g.pt must let gradients through.*obrs"):
        script(torch.ones(2, 1, requires_grad=True))


def test_what_is_no_network_or_answers_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        Script(tmp_path / "none.pt", "generator", CPU)
    torch.save({"a": torch.zeros(2)}, tmp_path / "state.pt")
    with pytest.raises(ValueError, match="must be a TorchScript file"):
        Script(tmp_path / "state.pt", "generator", CPU)
    with pytest.raises(ValueError, match=r"must return one tensor with a row per sample, got tuple"):
        Script(saved(Pair(), tmp_path / "pair.pt"), "critic", CPU)(torch.zeros(2, 1))
    linear = Script(saved(nn.Linear(3, 1), tmp_path / "linear.pt"), "critic", CPU, "; see there")
    with pytest.raises(
        ValueError, match=r"the critic .* must take \(2,\) for each of 5 samples, .*; see there"
    ):
        linear(torch.zeros(5, 2))
