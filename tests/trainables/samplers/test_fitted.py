"""A classifier fitted after training finds a known ratio, and rejection by it is nearly as good as by the exact one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import softplus

from tests.trainables.samplers.known import Known
from trainables.refinements.dot import Dot
from trainables.refinements.obrs import Obrs
from trainables.safetensors import Array
from trainables.samplers.constants import tuned
from trainables.samplers.fitted import fitted
from trainables.samplers.pool import Drawable, Pool
from trainables.samplers.refining import Refining
from trainables.samplers.with_ratio import with_ratio


@pytest.mark.parametrize("mean", [(1.0,), (1.0, 0.5), (0.5,) * 6], ids=str)
def test_a_known_ratio_is_found(mean: tuple[float, ...]) -> None:
    model = Known(mean, slope=0.0)
    found = fitted(model, model.real(5000, 50), seed=0)
    real, fake = model.real(4000, 77), next(model.pools(99)).points
    both = torch.cat((real, fake))
    exact, own = model.exact(both), found(both)
    assert float(torch.corrcoef(torch.stack((exact, own)))[0, 1]) > 0.98
    centred = exact - exact.mean()
    assert float((centred * own).mean() / centred.square().mean()) == pytest.approx(1, abs=0.15)

    def loss(up: Tensor, down: Tensor) -> float:
        return float(softplus(-up).mean() + softplus(down).mean()) / 2

    least = loss(model.exact(real), model.exact(fake))
    assert loss(found(real), found(fake)) - least < 0.006
    assert found.loss == pytest.approx(least, abs=0.04)
    assert found.loss < math.log(2)
    assert (found.real, found.fake) == (5000, 5000)


def test_rejection_by_it_is_nearly_that_by_the_exact_ratio() -> None:
    plain = Known(slope=0.0)
    model = with_ratio(plain, fitted(plain, plain.real(3000), 0))

    def mean(one: Drawable, budget: float) -> float:
        constants = tuned(one, Obrs(), budget, 8192, seed=1)
        pieces = Refining(one, Obrs(), budget, constants, seed=2).pieces(6000)
        return float(torch.cat([piece.points for piece in pieces]).mean())

    own, exact, none = mean(model, 3.0), mean(Known(), 3.0), mean(model, 1.0)
    assert none == pytest.approx(0, abs=0.05)
    assert own > none + 0.5
    assert own == pytest.approx(exact, abs=0.08)


def test_samples_climb_its_gradient() -> None:
    plain = Known(slope=0.0)
    model, method = with_ratio(plain, fitted(plain, plain.real(3000), 0)), Dot(rate=0.2)
    block = next(model.pools(3)).block
    assert block is not None
    moved = method.moved(block, method.constants(block), 2.0)
    inside = block.points.abs() < 2
    assert float(((moved - block.points) > 0)[inside].float().mean()) > 0.95


class Pictures:
    """The same law in images of 1×6×6."""

    shape = (1, 6, 6)

    def __init__(self) -> None:
        self.flat = Known((0.2,) * 36, slope=0.0)

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        for pool in self.flat.pools(seed, first):
            yield replace(pool, made=pool.points.reshape(-1, *self.shape), block=None)

    def shown(self, points: Tensor) -> Array:
        return points.numpy()


def test_images_have_a_network_of_their_own() -> None:
    model = Pictures()
    flat = model.flat
    found = fitted(model, flat.real(1000).reshape(-1, 1, 6, 6), 0)
    assert found.fake == 1000
    fresh = torch.cat((flat.real(1000, 5), flat.real(1000, 6) - flat.mean))
    exact, own = flat.exact(fresh), found(fresh.reshape(-1, 1, 6, 6))
    assert float(torch.corrcoef(torch.stack((exact, own)))[0, 1]) > 0.75
    assert found.accuracy > 0.62


def test_equal_seeds_give_equal_ratios_and_nobody_else_notices() -> None:
    model = Known(slope=0.0)
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, same, other = (fitted(model, model.real(300), seed, draws=500) for seed in (1, 1, 2))
    assert torch.rand(1) == expected
    x = torch.linspace(-2, 2, 9)[:, None]
    assert torch.equal(one(x), same(x))
    assert not torch.equal(one(x), other(x))
    assert (one.real, one.fake) == (300, 500)


def test_noise_is_not_learnt() -> None:
    model = Known((0.0,) * 5, slope=0.0)
    found = fitted(model, model.real(400), 0)
    assert float(found(model.real(2000, 3)).std()) < 0.3


def test_what_nothing_can_be_learnt_from_is_refused() -> None:
    model = Known(slope=0.0)
    with pytest.raises(ValueError, match=r"must have the shape of samples \(1,\), got \(2,\)"):
        fitted(model, torch.zeros(500, 2), 0)
    with pytest.raises(ValueError, match="at least 100 real points, got 99"):
        fitted(model, torch.zeros(99, 1), 0)
    with pytest.raises(ValueError, match="at least 100 draws, got 3"):
        fitted(model, model.real(200), 0, draws=3)
    with pytest.raises(ValueError, match="real points must be finite, but 200 of 200"):
        fitted(model, torch.full((200, 1), torch.nan), 0)
