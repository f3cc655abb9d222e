"""The losses of PR-GAN are the precision at λ, and its log form vanishes for the same models."""

from __future__ import annotations

from math import inf, nan
from typing import Any, get_args

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.objectives.laws import columns, logit_of, sampled_ratios
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import Gan, PearsonChi2, Recoverable
from trainables.objectives.pr import PR

LAMBDAS = (0.05, 0.5, 1.0, 2.0, 20.0)
DUAL = {"logistic": "gan", **{name: name for name in get_args(Recoverable)}}


@pytest.mark.parametrize("critic", DUAL)
@pytest.mark.parametrize("lam", LAMBDAS)
def test_primal_is_minus_the_precision_estimate(critic: Any, lam: float) -> None:
    ratio = sampled_ratios(1)
    alpha = (lam * ratio).clamp(max=1.0).mean()  # α_λ = E_Q[min(λ r, 1)]
    member = PR(critic=critic, form="primal")
    loss = member.generator_loss(logit_of(DUAL[critic], ratio), columns(lam=lam))
    torch.testing.assert_close(loss, (-alpha / min(lam, 1.0)).reshape(1))


@pytest.mark.parametrize("lam", LAMBDAS)
def test_log_form_is_the_log_above_one_and_the_primal_below(lam: float) -> None:
    ratio = sampled_ratios(2)
    loss = PR(form="log").generator_loss(ratio.log(), columns(lam=lam))
    expected = (
        -(lam * ratio).log().clamp(max=0.0).mean(-1)
        if lam >= 1
        else PR(form="primal").generator_loss(ratio.log(), columns(lam=lam))
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
    log_form = float(PR(form="log").generator_loss(logit, {"lam": lam}))
    primal = float(PR(form="primal").generator_loss(logit, {"lam": lam})) + 1.0
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
    lam = {"lam": torch.tensor([2.0])}
    gradients = [
        torch.autograd.grad(member.generator_loss(logit, lam).sum(), logit)[0].item()
        for member in (PR(form="log"), PR(form="primal"))
    ]
    assert gradients[0] == -1.0
    assert abs(gradients[1]) < 1e-9


def test_a_point_past_one_over_lam_has_no_gradient() -> None:
    for member in (PR(form="log"), PR(form="primal")):
        logit = torch.tensor([[3.0, 0.5]], requires_grad=True)
        loss = member.generator_loss(logit, {"lam": torch.tensor([0.2])})
        (gradient,) = torch.autograd.grad(loss.sum(), logit)
        assert gradient[0, 0] == 0  # r̂ = e³ > 5
        assert gradient[0, 1] < 0


def test_its_critic_is_that_of_the_auxiliary_divergence() -> None:
    real, fake = torch.randn(2, 2, 9, generator=torch.Generator().manual_seed(0))
    others = [(PR(critic=name), OBJECTIVES[name]()) for name in get_args(Recoverable)]
    for member, critic in ((PR(), Gan()), (PR(critic="chi2"), PearsonChi2()), *others):
        torch.testing.assert_close(member.critic_loss(real, fake), critic.critic_loss(real, fake))
        torch.testing.assert_close(member.log_ratio(fake), critic.log_ratio(fake))


@given(lam=st.floats(1e-3, 1e3))
def test_the_loss_bends_where_lam_times_the_ratio_is_one(lam: float) -> None:
    bend = PR(lam=lam).bend(columns(lam=lam))
    torch.testing.assert_close((bend.exp() * lam), torch.ones(1, dtype=torch.float64))


def test_every_lam_of_a_pack_is_its_own() -> None:
    logit = torch.randn(1, 30, generator=torch.Generator().manual_seed(2)).double().repeat(len(LAMBDAS), 1)
    together = PR().generator_loss(logit, {"lam": torch.tensor(LAMBDAS, dtype=torch.float64)})
    for index, lam in enumerate(LAMBDAS):
        torch.testing.assert_close(together[index], PR().generator_loss(logit[:1], columns(lam=lam))[0])
    assert PR(lam=1).group() == PR(lam=2, likelihood=0.5, warmup=3).group()
    assert PR(form="log").group() != PR(form="primal").group()
    assert PR(critic="chi2").group() != PR().group()


@pytest.mark.parametrize("lam", [0.0, -1.0, inf, nan])
def test_a_lam_that_is_no_weight_is_refused(lam: float) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        PR(lam=lam)
    assert str(refusal.value) == (
        f"λ must be positive and finite, got {lam}; large λ asks for precision, small λ for recall"
    )


@pytest.mark.parametrize("weight", [-0.1, inf, nan])
def test_the_checks_of_adversarial_objectives_hold_too(weight: float) -> None:
    with pytest.raises(ValueError, match=f"objective.likelihood is a weight ≥ 0, got {weight}"):
        PR(likelihood=weight)


def _smoothed(p: torch.Tensor, q: torch.Tensor, lam: float, sharpness: float) -> torch.Tensor:
    """∫ D_t k(t) dt, log t logistic around log λ of scale 1/s: by its quantiles, exactly in the middle of each."""
    u = (torch.arange(20_000, dtype=torch.float64) + 0.5) / 20_000
    t = lam * ((u / (1 - u)).log() / sharpness).exp()
    alpha = torch.minimum(t[:, None] * p, q).sum(-1)
    return (t.clamp(max=1.0) - alpha).mean()


@pytest.mark.parametrize("lam", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("sharpness", [1.0, 4.0, 20.0])
def test_the_step_is_the_first_variation_of_a_mean_of_pr_divergences(lam: float, sharpness: float) -> None:
    generator = torch.Generator().manual_seed(0)
    p, q = torch.rand(2, 12, generator=generator, dtype=torch.float64).softmax(-1)
    q.requires_grad_()
    (slope,) = torch.autograd.grad(_smoothed(p, q, lam, sharpness), q)
    member = PR(form="step", sharpness=sharpness)
    log_ratio = (p / q.detach()).log()
    per_point = torch.stack(
        [member.generator_loss(one.reshape(1, 1), columns(lam=lam))[0] for one in log_ratio]
    )
    # Up to a constant, which moves no mass between points; sums over atoms of D_t bend where t = q/p.
    torch.testing.assert_close(per_point - per_point.mean(), slope - slope.mean(), rtol=0, atol=2e-4)


@pytest.mark.parametrize("lam", [0.2, 1.0, 5.0])
def test_a_sharp_step_is_the_divergence_and_a_blunt_one_is_not(lam: float) -> None:
    p = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    q = torch.tensor([0.1, 0.1, 0.8], dtype=torch.float64)
    exact = min(1.0, lam) - float(torch.minimum(lam * p, q).sum())
    assert float(_smoothed(p, q, lam, 100.0)) == pytest.approx(exact, abs=0.01)
    assert abs(float(_smoothed(p, q, lam, 1.0)) - exact) > 0.02


def test_the_step_hears_nothing_from_far_outliers_and_most_from_the_edge() -> None:
    logit = torch.tensor([[-20.0, -1.0, 0.0, 1.0, 20.0]], requires_grad=True)
    (gradient,) = torch.autograd.grad(
        PR(form="step").generator_loss(logit, columns(lam=1.0).copy()).sum(), logit
    )
    pull = -gradient[0]
    assert float(pull[2]) == float(pull.max()) > 0
    assert float(pull[0]) < 1e-6
    assert float(pull[4]) < 1e-6


@pytest.mark.parametrize("form", ["log", "primal", "step"])
@pytest.mark.parametrize("lam", LAMBDAS)
def test_covering_comes_first_and_does_not_depend_on_large_lam(form: Any, lam: float) -> None:
    member, logit = PR(form=form, cover=0.4), sampled_ratios(3).log()
    early = member.generator_loss(logit, {**columns(lam=lam), "progress": torch.tensor([0.39])})
    late = member.generator_loss(logit, {**columns(lam=lam), "progress": torch.tensor([0.4])})
    primal = PR(form="primal").generator_loss(logit, columns(lam=min(lam, 0.2)))
    torch.testing.assert_close(early, primal)
    torch.testing.assert_close(late, PR(form=form).generator_loss(logit, columns(lam=lam)))


def test_lam_begins_after_warm_up_and_covering() -> None:
    flow, gan = RealNvp(), MlpGan()
    assert PR(cover=0.5).lam_begins(gan, 100) == 50
    assert PR(cover=0.5, warmup=20).lam_begins(flow, 100) == 60
    assert PR().lam_begins(flow, 100) == 25


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sharpness": 0.0}, r"objective\.sharpness must lie in \(0, 100\]"),
        ({"sharpness": nan}, r"objective\.sharpness must lie in"),
        ({"cover": 1.0}, r"objective\.cover is a share of the training from 0 to 0\.9"),
        ({"cover": -0.1}, r"objective\.cover is a share"),
    ],
)
def test_steps_and_covering_have_their_bounds(given: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PR(**given).check()  # type: ignore[arg-type]


@pytest.mark.parametrize("critic", DUAL)
@pytest.mark.parametrize("lam", [0.04, 1.0, 25.0])
def test_every_critic_reaches_past_one_over_lam_on_both_sides(critic: Any, lam: float) -> None:
    # Logits are softly bounded to ±30. Within, r̂ lies on both sides of 1/λ, and the loss bends in between.
    logit = torch.linspace(-30, 30, 601)[None].requires_grad_()
    member = PR(lam=lam, critic=critic)
    beyond = member.log_ratio(logit.detach()) - member.bend({"lam": torch.tensor([lam])}).unsqueeze(-1)
    assert float(beyond.min()) < -0.05
    assert float(beyond.max()) > 0.05
    (gradient,) = torch.autograd.grad(member.generator_loss(logit, {"lam": torch.tensor([lam])}).sum(), logit)
    below = beyond < -1e-3
    assert bool((gradient[below] < 0).all())
    assert not gradient[beyond > 1e-3].any()


@pytest.mark.parametrize(
    ("critic", "lam", "reach"), [("chi2", 0.02, "0.04 to inf"), ("jeffreys", 30.0, "0 to 25")]
)
def test_a_lam_out_of_a_critics_reach_is_refused(critic: Any, lam: float, reach: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        PR(lam=lam, critic=critic)
    assert str(refusal.value) == (
        f"critic '{critic}' tells ratios apart for λ from {reach}, got λ = {lam:g}; use critic logistic"
    )
    # What it would have been: every such λ is one loss, up to scale.
    far = {"lam": torch.tensor([lam, lam / 2 if lam < 1 else 2 * lam])}
    logit = torch.linspace(-29, 29, 59)[None].repeat(2, 1).requires_grad_()
    loss = PR(critic=critic).generator_loss(logit, far)
    (gradients,) = torch.autograd.grad(loss.sum(), logit)
    torch.testing.assert_close(gradients[0], gradients[1])


def test_critics_that_know_no_ratio_are_refused() -> None:
    names = "logistic, kl, reverse_kl, jeffreys, js, gan, chi2, hellinger"
    with pytest.raises(ValueError, match=r".") as refusal:
        PR(critic="tv")  # type: ignore[arg-type]
    assert str(refusal.value) == (
        f"objective.critic must know the density ratio, which 'tv' does not; use one of {names}"
    )


def test_critics_are_named_in_the_identity_as_ever() -> None:
    assert PR().signature() == ["pr", 1, {}]
    assert PR(critic="chi2").signature() == ["pr", 1, {"critic": "chi2"}]
    real, fake = torch.randn(2, 2, 9, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(PR(critic="gan").critic_loss(real, fake), PR().critic_loss(real, fake))
    assert PR(critic="gan") == PR(), "one name for one trial"


@pytest.mark.parametrize("understated", [0.5, 1.0, 7.0])
def test_the_slope_of_a_critic_that_understates_is_found(understated: float) -> None:
    # N(0, 1) against N(1, 1): log r = ½ - x, of which the critic knows a part.
    member, memory = PR(calibrated=True), torch.zeros(2, 1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(600):
        real, fake = torch.randn(2, 2, 256, generator=generator)
        memory = member.compare(memory, (0.5 - real) / understated, (0.5 - (fake + 1)) / understated)
    slope = member.slope(memory)
    assert slope is not None
    torch.testing.assert_close(slope, torch.full((2,), understated), rtol=0.15, atol=0.0)


def test_lambda_is_held_against_the_calibrated_ratio() -> None:
    fake, lam = torch.linspace(-2, 2, 50).expand(1, -1), torch.tensor([3.0])
    columns = {"lam": lam, "progress": torch.ones(1), "memory": torch.tensor([[5.0]]).log()}
    found = PR(lam=3.0, form="step", calibrated=True).generator_loss(fake, columns)
    torch.testing.assert_close(found, PR(lam=3.0, form="step").generator_loss(5 * fake, columns))
    assert not torch.allclose(found, PR(lam=3.0, form="step").generator_loss(fake, columns))


def test_without_calibration_nothing_is_remembered() -> None:
    assert PR().initial() == ()
    assert PR().slope(torch.zeros(2, 0)) is None
    memory = torch.zeros(2, 0)
    assert PR().compare(memory, torch.zeros(2, 3), torch.zeros(2, 3)) is memory
    assert PR(calibrated=True).signature() != PR().signature()


def test_points_that_are_all_alike_leave_a_finite_slope() -> None:
    member, memory = PR(calibrated=True), torch.zeros(1, 1)
    for logit in (0.0, 30.0):
        same = torch.full((1, 8), logit)
        for _ in range(500):
            memory = member.compare(memory, same, -same)
        assert torch.isfinite(memory).all()
        assert float(memory.abs()) <= 5.0
