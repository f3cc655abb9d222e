"""What the generator of each objective descends, with a perfect critic: exact gradients on a pair of Gaussians."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.trainables.objectives.gaussian_pair import LINE, PAIRS, Pair, masses
from trainables.divergences import DIVERGENCES, Divergence, amari, pr_divergence
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import Amari, FGan, TotalVariation
from trainables.objectives.hinge import Hinge
from trainables.objectives.naive_pr import NaivePR
from trainables.objectives.obrs import Obrs
from trainables.objectives.pr import PR
from trainables.objectives.wasserstein import Wasserstein
from trainables.rejection.obrs import budget_constant
from trainables.studies.line import refined

Value = Callable[[float, float], float]
every_pair = pytest.mark.parametrize("pair", [Pair(*place) for place in PAIRS], ids=str)


def of(*parts: tuple[float, Divergence], budget: float = 1.0) -> Value:
    """Σ w D_f(P‖Q̃), where Q̃ is what OBRS keeps of Q = N(m, s²)."""
    p = masses()
    return lambda m, s: sum(w * float(d.discrete(p, refined(p, masses(m, s), budget))) for w, d in parts)


def knowing(div: Divergence) -> Callable[[Tensor], Tensor]:
    """The logit of a critic that has learnt the ratio."""
    return lambda log_ratio: div.optimal_logit(log_ratio.clamp(-60, 60).exp())


def named(weight: float, name: str) -> tuple[float, Divergence]:
    return weight, DIVERGENCES[name]


RAISED: dict[str, list[tuple[float, Divergence]]] = {
    "kl": [named(1, "reverse_kl")],
    "reverse_kl": [(1, amari(-1))],
    "chi2": [named(2, "kl")],
    "hellinger": [(0.5, amari(-0.5))],
    "jeffreys": [named(1, "reverse_kl"), (1, amari(-1))],
    "gan": [named(1, "reverse_kl"), named(-1, "gan")],
    "js": [named(0.5, "reverse_kl"), named(-1, "js")],
}
"""What -E_Q[T] descends, by hand: the divergence with g″(u) = f″(u)/u."""


def same(found: Tensor, exact: Tensor, near: float = 2e-3) -> None:
    torch.testing.assert_close(found, exact, rtol=near, atol=2e-4)


@every_pair
@pytest.mark.parametrize("name", RAISED)
def test_an_f_gan_descends_its_divergence_or_the_one_that_seeks_modes_more(name: str, pair: Pair) -> None:
    kind = OBJECTIVES[name]
    assert issubclass(kind, FGan)
    critic = knowing(DIVERGENCES[name])
    same(pair.pull(kind(saturating=True), critic), pair.slope(of(named(1, name))))
    same(pair.pull(kind(), critic), pair.slope(of(*RAISED[name])))


@every_pair
@pytest.mark.parametrize("alpha", [-0.4, 0.0, 0.5, 1.0, 1.7, 2.5])
def test_amari_descends_alpha_or_alpha_less_one(alpha: float, pair: Pair) -> None:
    critic = knowing(amari(alpha))
    same(pair.pull(Amari(alpha=alpha, saturating=True), critic), pair.slope(of((1, amari(alpha)))))
    same(pair.pull(Amari(alpha=alpha), critic), pair.slope(of((1, amari(alpha - 1)))))


def gap(lam: float) -> Value:
    """D_λ(P‖N(m, s²))."""
    return lambda m, s: float(pr_divergence(masses(), masses(m, s), lam))


@every_pair
def test_steps_descend_total_variation(pair: Pair) -> None:
    # Steep enough to be a step, blunt enough for the quadrature.
    same(pair.pull(TotalVariation(), lambda w: 30 * w), pair.slope(gap(1.0)), 0.02)
    same(pair.pull(Hinge(), lambda w: (30 * w).clamp(-1, 1)), 2 * pair.slope(gap(1.0)), 0.04)


@every_pair
@pytest.mark.parametrize("lam", [0.6, 1.0, 1.6])
def test_naive_pr_and_the_step_descend_the_pr_divergence(lam: float, pair: Pair) -> None:
    exact = pair.slope(gap(lam))
    beyond = torch.log(torch.tensor(lam))
    found = pair.pull(NaivePR(lam=lam), lambda w: 50 * (w + beyond))
    torch.testing.assert_close(found, exact, rtol=0.03, atol=2e-3)
    step = pair.pull(PR(lam=lam, form="step", sharpness=50.0), lambda w: w, lam=lam)
    torch.testing.assert_close(step, exact, rtol=0.03, atol=2e-3)


@pytest.mark.parametrize("form", ["log", "primal", "step"])
@pytest.mark.parametrize(
    ("lam", "s", "sign"),
    [(5.0, 2.0, 1), (3.0, 1.6, 1), (0.2, 0.5, -1), (0.4, 0.6, -1), (1.0, 1.3, 1), (1.0, 0.8, -1)],
)
def test_large_lam_narrows_and_small_lam_widens(form: str, lam: float, s: float, sign: int) -> None:
    pair = Pair(0.0, s)
    exact = pair.slope(gap(lam))[1]
    pull = pair.pull(PR(lam=lam, form=form), lambda w: w, lam=lam)[1]  # type: ignore[arg-type]
    assert float(exact) * sign > 1e-3
    assert float(pull) * sign > 1e-3


@pytest.mark.parametrize("pair", [Pair(0.6, 1.0), Pair(0.4, 1.15), Pair(-0.5, 0.9)], ids=str)
@pytest.mark.parametrize("budget", [1.0, 1.3, 2.0])
@pytest.mark.parametrize("name", ["gan", "kl", "reverse_kl", "chi2", "hellinger", "jeffreys", "js"])
def test_training_with_rejection_descends_the_divergence_of_what_is_kept(
    name: str, budget: float, pair: Pair
) -> None:
    p, q = masses(), masses(pair.m, pair.s)
    log_c = budget_constant((p / q).log(), budget, q)
    columns = {"budget": budget, "delay": 0.0, "progress": 0.5, "memory": log_c}
    for saturating, parts in ((True, [named(1, name)]), (False, RAISED[name])):
        member = Obrs(divergence=name, saturating=saturating)  # type: ignore[arg-type]
        found = pair.pull(member, knowing(DIVERGENCES[name]), **columns)
        torch.testing.assert_close(found, pair.slope(of(*parts, budget=budget)), rtol=5e-3, atol=2e-3)


def test_wasserstein_moves_scales_towards_the_data() -> None:
    for s, critic in ((1.4, -1.0), (0.7, 1.0)):  # the best 1-Lipschitz critic of two scales is ∓|x|
        place = torch.tensor([0.0, s], dtype=torch.float64, requires_grad=True)
        logit = critic * (place[0] + place[1] * LINE.x).abs()
        loss = Pair.expected(Wasserstein(), logit)
        (slope,) = torch.autograd.grad(loss, place)
        assert float(slope[1]) * (s - 1) > 0
