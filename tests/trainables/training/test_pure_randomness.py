"""Random functions inside a forward pass are hashed numbers: pure in their key, and as random as they should be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from scipy import stats
from torch import Tensor
from torch.func import vmap

from trainables.training.pure_randomness import ImpureRandomness, PureRandomness

X = torch.ones(40, 500)
PASSES: dict[str, Callable[[Tensor], Tensor]] = {
    "dropout": lambda x: F.dropout(x, 0.3),
    "torch.dropout": lambda x: torch.dropout(x, 0.3, True),
    "dropout1d": lambda x: F.dropout1d(x[..., None], 0.3).squeeze(-1),
    "dropout2d": lambda x: F.dropout2d(x[..., None, None], 0.3).flatten(1),
    "rand_like": torch.rand_like,
    "randn_like": torch.randn_like,
    "rand": lambda x: torch.rand(x.shape) + torch.rand(40, 500),
    "randn": lambda x: torch.randn(40, 500) + torch.randn(size=(40, 500)),
    "bernoulli": lambda x: torch.bernoulli(0.3 * x),
}
every = pytest.mark.parametrize("name", sorted(PASSES))


def run(name: str, key: int, x: Tensor = X) -> Tensor:
    with PureRandomness(torch.tensor(key)):
        return PASSES[name](x)


@every
def test_equal_keys_give_equal_numbers_and_others_give_others(name: str) -> None:
    torch.manual_seed(0)
    first = run(name, 5)
    torch.manual_seed(1)
    assert torch.equal(run(name, 5), first)
    assert not torch.equal(run(name, 6), first)
    before = torch.get_rng_state()
    run(name, 7)
    assert torch.equal(torch.get_rng_state(), before)


@every
def test_the_same_under_vmap(name: str) -> None:
    def one(key: Tensor, x: Tensor) -> Tensor:
        with PureRandomness(key):
            return PASSES[name](x)

    together = vmap(one)(torch.tensor([3, 9]), X.expand(2, -1, -1))
    for row, key in enumerate((3, 9)):
        torch.testing.assert_close(together[row], run(name, key), rtol=0, atol=0)


def test_two_calls_of_one_pass_do_not_repeat() -> None:
    with PureRandomness(torch.tensor(1)) as mode:
        one, other = torch.randn(100), torch.randn(100)
    assert mode.used == 2
    assert not torch.equal(one, other)


def test_numbers_have_the_laws_they_should() -> None:
    assert stats.kstest(run("randn_like", 1).flatten().numpy(), "norm").pvalue > 1e-3
    assert stats.kstest(run("rand_like", 1).flatten().numpy(), "uniform").pvalue > 1e-3
    assert float(run("bernoulli", 1).mean()) == pytest.approx(0.3, abs=5 * (0.21 / X.numel()) ** 0.5)


@pytest.mark.parametrize("name", ["dropout", "torch.dropout"])
def test_dropout_keeps_its_share_and_the_mean(name: str) -> None:
    out = run(name, 2)
    assert out.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
    assert float((out == 0).double().mean()) == pytest.approx(0.3, abs=5 * (0.21 / X.numel()) ** 0.5)


def test_whole_channels_are_dropped() -> None:
    with PureRandomness(torch.tensor(1)):
        out = F.dropout2d(torch.ones(30, 10, 4, 4), 0.5)
    channels = out.flatten(2)
    assert bool((channels == channels[..., :1]).all())
    assert 0.3 < float((channels[..., 0] == 0).double().mean()) < 0.7


def test_nothing_is_drawn_where_nothing_is_random() -> None:
    with PureRandomness(torch.tensor(1)) as mode:
        assert F.dropout(X, 0.5, training=False) is X
        assert F.dropout(X, 0.0) is X
        assert F.dropout2d(X[..., None, None], 0.5, training=False).shape == (40, 500, 1, 1)
        torch.relu(X)
    assert mode.used == 0
    with PureRandomness(torch.tensor(1)):
        assert not F.dropout(X, 1.0).any()
        assert not F.dropout2d(X[..., None, None], 1.0).any()


def test_outside_the_mode_everything_is_as_it_was() -> None:
    torch.manual_seed(3)
    expected = torch.randn(4)
    torch.manual_seed(3)
    with PureRandomness(torch.tensor(1)):
        torch.randn(4)
    assert torch.equal(torch.randn(4), expected)


def test_numbers_have_the_precision_they_are_asked_for() -> None:
    with PureRandomness(torch.tensor(1)):
        assert torch.randn(3, dtype=torch.float64).dtype == torch.float64


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda x: torch.normal(x, 1.0), id="normal"),
        pytest.param(lambda x: torch.normal(0.0, 1.0, size=(3, 2)), id="normal of a size"),
        pytest.param(lambda x: (x / 2).bernoulli(), id="Tensor.bernoulli"),
        pytest.param(lambda x: torch.bernoulli(x, 0.5), id="bernoulli of a share"),
    ],
)
def test_these_random_functions_do_not_reach_the_global_generator(draw: Callable[[Tensor], Tensor]) -> None:
    outs = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        with PureRandomness(torch.tensor(1)):
            outs.append(draw(X))
    assert torch.equal(*outs)


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (lambda x: torch.empty_like(x).normal_(), "normal_"),
        (lambda x: torch.randint_like(x, 9), "randint_like"),
        (lambda x: torch.randint(9, (2,)), "randint"),
        (lambda x: F.alpha_dropout(x, 0.5, training=True), "alpha_dropout"),
        (lambda x: F.rrelu(x, training=True), "rrelu"),
        (F.gumbel_softmax, "gumbel_softmax"),
    ],
)
def test_what_cannot_be_made_pure_is_refused_by_its_name(draw: Callable[[Tensor], Tensor], name: str) -> None:
    with (
        PureRandomness(torch.tensor(1)),
        pytest.raises(ImpureRandomness, match=f"it calls {name}, which draws"),
    ):
        draw(X)
