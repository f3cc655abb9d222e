"""Bounds of refined laws, against laws of which everything is known: N(0, I), and N(0, s² I) drawn for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch import Tensor, nn

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.models import Model
from trainables.objectives.fgan import Gan
from trainables.objectives.obrs import Obrs
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.sources.law_source import LawSource
from trainables.sources.mixture import GaussianMixture
from trainables.studies.refined_bound import Bounds, RefinedCritics
from trainables.training.population import Population

BUDGETS = (1.0, 2.0, 4.0)
SCALES = (2.0, 1.0)


@dataclass(frozen=True)
class Standard(Dataset):
    """N(0, I) in the plane."""

    name: ClassVar[str] = "standard"
    has_law: ClassVar[bool] = True
    shape = (2,)

    def source(self) -> LawSource:
        return LawSource(GaussianMixture(torch.zeros(1, 2), torch.ones(1, dtype=torch.float64), 1.0))


@dataclass(frozen=True)
class Stretched(Model):
    """A linear generator, and a critic that sees squares: log r of Gaussians is linear in them."""

    name: ClassVar[str] = "stretched"

    def latent_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (2,)

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return nn.Linear(2, 2, bias=False)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return nn.Sequential(Squared(), nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))


class Squared(nn.Module):
    """x and its squares."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat((x, x.square() / 4), dim=-1)


def population(objective: Gan | Obrs = Gan()) -> Population:  # noqa: B008
    """A trial for every scale, its generator set to it."""
    training = TrainingConfig(iterations=1, batch_size=64)
    found = Population(
        [TrialConfig(Standard(), Stretched(), objective, training=training, seed=s) for s in (0, 1)]
    )
    for row, scale in enumerate(SCALES):
        for name in ("generator", "average"):
            found.matrices[name][row] = scale * torch.eye(2).flatten()
    return found


def truth(scale: float, budget: float, blur: float = 0.0) -> float:
    """D_GAN(P‖P̃) with the exact ratio, at 400,001 quantiles of |x|² under the proposal."""
    p, q = 1 + blur**2, scale**2 + blur**2
    level = (torch.arange(400_001, dtype=torch.float64) + 0.5) / 400_001
    squares = -2 * q * torch.log1p(-level)
    log_r = (torch.tensor(q / p, dtype=torch.float64)).log() - squares * (1 / p - 1 / q) / 2
    weight = budget * acceptance(log_r, budget_constant(log_r, budget))
    u = log_r.exp() / weight
    return float((weight * (u * u.log() - (1 + u) * (1 + u).log())).mean())


def unseen(key: int) -> Tensor:
    """Real points."""
    return torch.randn(4000, 2, generator=torch.Generator().manual_seed(key))


def trained(blur: float = 0.0) -> Bounds:
    critics = RefinedCritics(population(), BUDGETS, blur)
    critics.train_first(150, 2e-2, 256)
    critics.settle(unseen(0))
    critics.train_second(60, 5e-3, 256)
    return critics.bounds(unseen(0), unseen(1))


@pytest.fixture(scope="module")
def bounds() -> Bounds:
    return trained()


@pytest.mark.parametrize("at", range(len(BUDGETS)))
@pytest.mark.parametrize("row", range(len(SCALES)))
def test_a_bound_is_below_the_divergence_and_near_it(bounds: Bounds, at: int, row: int) -> None:
    exact = truth(SCALES[row], BUDGETS[at])
    found, error = float(bounds.dual[at, row]), float(bounds.error[at, row])
    assert exact - 0.03 < found < exact + 4 * error + 1e-9
    assert error < 0.02
    assert float(bounds.primal[at, row]) == pytest.approx(exact, abs=0.06)


def test_a_larger_budget_is_nearer_the_data_and_equal_laws_stay_equal(bounds: Bounds) -> None:
    assert (bounds.dual[:, 0].diff() < 0).all()
    assert truth(2.0, 1.0) > truth(2.0, 2.0) > truth(2.0, 4.0) > truth(1.0, 1.0) - 1e-9
    torch.testing.assert_close(bounds.dual[:, 1], bounds.dual.new_full((3,), -1.3863), atol=0.01, rtol=0)


def test_one_draw_in_k_is_kept(bounds: Bounds) -> None:
    expected = 1 / torch.tensor(BUDGETS, dtype=torch.float64)
    torch.testing.assert_close(bounds.rate, expected[:, None].expand(3, 2), atol=0.04, rtol=0)


def test_blurred_laws_are_nearer_to_each_other() -> None:
    found = trained(blur=1.0)
    for at, budget in enumerate(BUDGETS):
        exact = truth(2.0, budget, blur=1.0)
        assert exact < truth(2.0, budget)
        assert exact - 0.03 < float(found.dual[at, 0]) < exact + 4 * float(found.error[at, 0])


def test_what_is_shown_is_drawn_and_kept_as_budgets_say() -> None:
    critics = RefinedCritics(population(), BUDGETS)
    critics.settle(unseen(0))
    x, kept = critics.show(40)
    assert (x.shape, kept.shape) == ((2, 40, 2), (3, 2, 40))
    assert kept[0].all()
    assert not kept[2].all()
    assert (kept[1] | ~kept[2]).all()  # the uniforms are the same, and a larger budget accepts less


def test_a_critic_that_knows_nothing_gives_the_least_bound() -> None:
    found = trained_not_at_all()
    assert (found.dual <= -1.3863 + 0.02).all()


def trained_not_at_all() -> Bounds:
    there = population()
    there.matrices["critic"].zero_()
    critics = RefinedCritics(there, (1.0, 2.0))
    critics.settle(unseen(0))
    critics.train_second(0, 1e-3, 8)
    return critics.bounds(unseen(0), unseen(1))


def test_logits_of_other_objectives_are_refused_and_second_critics_wait() -> None:
    with pytest.raises(ValueError, match="must be those of objective gan"):
        RefinedCritics(population(Obrs()), BUDGETS)
    with pytest.raises(ValueError, match="call settle before"):
        RefinedCritics(population(), BUDGETS).train_second(1, 1e-3, 8)
