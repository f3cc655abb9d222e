"""Losses against the mathematics they stand for, on laws whose ratio is known."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from trainables.config import ObjectiveConfig
from trainables.objectives.critics import CRITICS
from trainables.objectives.generators import GeneratorLoss, NonSaturating, PRLog, PRPrimal
from trainables.objectives.pack import PackObjective, losses

CPU = torch.device("cpu")
LAMBDAS = (0.05, 0.5, 1.0, 2.0, 20.0)
RATIO_CRITICS = ("logistic", "kl", "reverse_kl", "js", "chi2", "gan")
EVERY: dict[str, ObjectiveConfig] = {
    **{name: ObjectiveConfig(name) for name in ("kl", "reverse_kl", "js", "chi2", "gan", "hinge")},  # type: ignore[arg-type]
    **{
        f"pr-{critic}-{form}-{lam}": ObjectiveConfig("pr", lam, critic, form)  # type: ignore[arg-type]
        for critic in ("logistic", "chi2")
        for form in ("log", "primal")
        for lam in (0.1, 3.0)
    },
    "mle": ObjectiveConfig("mle"),
    "flow_gan": ObjectiveConfig("flow_gan"),
}


def logit_of(critic: str, ratio: Tensor) -> Tensor:
    """The raw logit at which a critic has learnt the ratio."""
    return CRITICS[critic].divergence.optimal_logit(ratio)  # type: ignore[attr-defined, no-any-return]


def sampled_ratios(seed: int, count: int = 16) -> Tensor:
    return torch.exp(1.5 * torch.randn(1, count, generator=torch.Generator().manual_seed(seed)).double())


@pytest.mark.parametrize("critic", RATIO_CRITICS)
def test_log_ratio_is_read_back_from_the_optimal_logit(critic: str) -> None:
    ratio = sampled_ratios(0)
    torch.testing.assert_close(CRITICS[critic].log_ratio(logit_of(critic, ratio)), ratio.log())


@pytest.mark.parametrize("critic", RATIO_CRITICS)
def test_a_critic_is_best_at_the_true_ratio(critic: str) -> None:
    # On discrete laws p, q no logit has a lower loss than the one with T = f′(p/q).
    generator = torch.Generator().manual_seed(3)
    p, q = torch.rand(2, 6, generator=generator).double().softmax(-1)
    optimum = logit_of(critic, p / q)

    def loss(logit: Tensor) -> Tensor:
        # The loss of each atom alone, weighed by its mass; what the zeros on the other side add is constant.
        member = CRITICS[critic]
        gained = torch.stack([member.loss(w.reshape(1, 1), torch.zeros(1, 1).double())[0] for w in logit])
        paid = torch.stack([member.loss(torch.zeros(1, 1).double(), w.reshape(1, 1))[0] for w in logit])
        return (p * gained).sum() + (q * paid).sum()

    least = loss(optimum)
    for _ in range(5):
        assert loss(optimum + 0.3 * torch.randn(6, generator=generator).double()) > least


@pytest.mark.parametrize("critic", ["logistic", "chi2"])
@pytest.mark.parametrize("lam", LAMBDAS)
def test_primal_is_minus_the_precision_estimate(critic: str, lam: float) -> None:
    ratio = sampled_ratios(1)
    alpha = (lam * ratio).clamp(max=1.0).mean()  # α_λ = E_Q[min(λ r, 1)]
    weight = torch.tensor([lam], dtype=torch.float64)
    loss = PRPrimal()(logit_of(critic, ratio), weight, CRITICS[critic])
    torch.testing.assert_close(loss, (-alpha / min(lam, 1.0)).reshape(1))


@pytest.mark.parametrize("lam", LAMBDAS)
def test_log_form_is_the_log_above_one_and_the_primal_below(lam: float) -> None:
    ratio = sampled_ratios(2)
    weight = torch.tensor([lam], dtype=torch.float64)
    loss = PRLog()(ratio.log(), weight, CRITICS["logistic"])
    expected = (
        -(lam * ratio).log().clamp(max=0.0).mean(-1)
        if lam >= 1
        else PRPrimal()(ratio.log(), weight, CRITICS["logistic"])
    )
    torch.testing.assert_close(loss, expected)


@given(
    log_lam=st.floats(0, 4),
    log_ratios=st.lists(st.floats(-8, 8), min_size=1, max_size=8),
)
def test_log_form_and_primal_vanish_for_the_same_models(log_lam: float, log_ratios: list[float]) -> None:
    # q ≤ λp at every point: both are at their least, the primal at -1 and the log form at 0.
    lam = torch.tensor([log_lam], dtype=torch.float64).exp()
    logit = torch.tensor([log_ratios], dtype=torch.float64)
    covered = bool((logit + lam.log() >= 0).all())
    short = -min(float((logit + lam.log()).min()), 0.0)
    log_form = float(PRLog()(logit, lam, CRITICS["logistic"]))
    primal = float(PRPrimal()(logit, lam, CRITICS["logistic"])) + 1.0
    assert log_form >= 0
    assert primal >= -1e-12
    if covered:
        assert log_form == 0.0
        assert primal == pytest.approx(0.0, abs=1e-12)
    elif short > 1e-6:
        assert log_form > 0
        assert primal > 0


def test_gradient_of_the_log_form_does_not_vanish_on_outliers() -> None:
    logit = torch.full((1, 1), -25.0, requires_grad=True)
    lam = torch.tensor([2.0])
    gradients = [
        torch.autograd.grad(form(logit, lam, CRITICS["logistic"]).sum(), logit)[0].item()
        for form in (PRLog(), PRPrimal())
    ]
    assert gradients[0] == -1.0
    assert abs(gradients[1]) < 1e-9


def test_a_point_past_one_over_lam_has_no_gradient() -> None:
    for form in (PRLog(), PRPrimal()):
        logit = torch.tensor([[3.0, 0.5]], requires_grad=True)
        (gradient,) = torch.autograd.grad(form(logit, torch.tensor([0.2]), CRITICS["gan"]).sum(), logit)
        assert gradient[0, 0] == 0  # r̂ = e³ > 5
        assert gradient[0, 1] < 0


@pytest.mark.parametrize("name", ["kl", "reverse_kl", "js", "chi2", "gan", "hinge"])
def test_non_saturating_loss_falls_as_the_ratio_rises(name: str) -> None:
    logit = torch.linspace(-5, 5, 11).reshape(11, 1).requires_grad_()
    loss = NonSaturating()(logit, torch.ones(11), CRITICS[name])
    (gradient,) = torch.autograd.grad(loss.sum(), logit)
    assert bool((gradient < 0).all())


def test_gan_losses_are_goodfellows() -> None:
    logit = torch.randn(2, 9, generator=torch.Generator().manual_seed(0))
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
    critic = CRITICS["gan"].loss(logit[:1], logit[1:])
    expected = cross_entropy(logit[0], torch.ones(9)) + cross_entropy(logit[1], torch.zeros(9))
    torch.testing.assert_close(critic[0], expected)
    generator = NonSaturating()(logit[1:], torch.ones(1), CRITICS["gan"])
    torch.testing.assert_close(generator[0], cross_entropy(logit[1], torch.ones(9)))


def test_hinge() -> None:
    real, fake = torch.tensor([[2.0, 0.0]]), torch.tensor([[-3.0, 0.5]])
    assert float(CRITICS["hinge"].loss(real, fake)) == pytest.approx((0 + 1) / 2 + (0 + 1.5) / 2)
    torch.testing.assert_close(CRITICS["hinge"].output(fake), fake)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_values_and_gradients_are_finite_for_extreme_logits(name: str) -> None:
    member = losses(EVERY[name])
    logit = torch.tensor([[-30.0, -10.0, 0.0, 10.0, 30.0]], requires_grad=True)
    lam = torch.tensor([EVERY[name].lam or 1.0])
    for loss in (
        member.critic.loss(logit, torch.zeros(1, 5)),
        member.critic.loss(torch.zeros(1, 5), logit),
        member.generator(logit, lam, member.critic),
    ):
        (gradient,) = torch.autograd.grad(loss.sum(), logit)
        assert torch.isfinite(loss).all()
        assert torch.isfinite(gradient).all()


def test_a_pack_is_its_trials_one_by_one() -> None:
    configs = [EVERY[name] for name in sorted(EVERY)][::-1]
    generator = torch.Generator().manual_seed(0)
    real, fake = 2 * torch.randn(2, len(configs), 7, generator=generator)
    pack = PackObjective(configs, CPU)
    for index, config in enumerate(configs):
        alone = PackObjective([config], CPU)
        row = slice(index, index + 1)
        torch.testing.assert_close(pack.critic_loss(real, fake)[row], alone.critic_loss(real[row], fake[row]))
        torch.testing.assert_close(pack.generator_loss(fake)[row], alone.generator_loss(fake[row]))
        torch.testing.assert_close(pack.log_ratio(fake)[row], alone.log_ratio(fake[row]))
        torch.testing.assert_close(pack.sides(fake)[row], alone.sides(fake[row]))


@pytest.mark.parametrize(
    ("name", "critic", "form"),
    [
        ("mle", "logistic", NonSaturating),
        ("flow_gan", "logistic", NonSaturating),
        ("gan", "logistic", NonSaturating),
        ("hinge", "hinge", NonSaturating),
        ("pr-chi2-log-3.0", "chi2", PRLog),
        ("pr-logistic-primal-0.1", "logistic", PRPrimal),
    ],
)
def test_objectives_name_their_losses(name: str, critic: str, form: type[GeneratorLoss]) -> None:
    member = losses(EVERY[name])
    assert member.critic == CRITICS[critic]
    assert type(member.generator) is form


def test_sides_are_shares_below_and_above_one_over_lam() -> None:
    pack = PackObjective([ObjectiveConfig(lam=1.0), ObjectiveConfig(lam=4.0), ObjectiveConfig("kl")], CPU)
    log_ratio = torch.tensor([[-2.0, -1.0, 0.0, 1.0]]).repeat(3, 1)
    expected = torch.tensor([[0.5, 0.25], [0.25, 0.75], [0.5, 0.25]])  # at λ = 4 the border is at -1.39
    torch.testing.assert_close(pack.sides(log_ratio), expected)
