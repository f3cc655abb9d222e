"""A model read through refinements at budgets, on known laws: what theory says, what it costs, what ends it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, nan, sqrt

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from tests.trainables.samplers.known_model import Known, of_ratios
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.refined import MOST_TUNED, RefinedReading, refined_readings, tuned_on
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors.identity import Identity
from trainables.metrics.frechet import Frechet
from trainables.metrics.neighbours import Neighbours
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.refinements.soft_truncation import SoftTruncation
from trainables.samplers.pool import Drawable
from trainables.samplers.refining import Refining
from trainables.sources.law_source import LawSource
from trainables.sources.mixture import GaussianMixture

MEMBERS = {name: kind() for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Budgeted)}
CHOOSING = {name: member for name, member in MEMBERS.items() if isinstance(member, Choosing)}
every = pytest.mark.parametrize("method", MEMBERS.values(), ids=MEMBERS)
LAW = GaussianMixture(torch.tensor([[1.0]]), torch.ones(1, dtype=torch.float64), 1.0)
"""N(1, 1), the law of the data; the model's is N(0, 1)."""
FEW = EvaluationConfig(samples=200)
DISTANCE = EvaluationConfig(samples=200, metrics=(Frechet(),))


def side(samples: int) -> RealSide:
    return RealSide(LawSource(LAW), Identity(), samples)


def read(
    model: Drawable,
    method: Budgeted,
    budgets: Sequence[float],
    evaluation: EvaluationConfig = FEW,
    seed: int = 0,
) -> list[RefinedReading]:
    return list(refined_readings(model, method, budgets, side(evaluation.samples), evaluation, seed))


def refusal(
    model: Drawable, method: Budgeted, budgets: Sequence[float], evaluation: EvaluationConfig = FEW
) -> str:
    with pytest.raises(ValueError, match=r".") as refused:
        read(model, method, budgets, evaluation)
    return str(refused.value)


def drawn(count: int, seed: int = 0) -> Tensor:
    """The first draws of the model."""
    found: list[Tensor] = []
    for pool in Known().pools(seed):
        found.append(pool.points)
        if sum(map(len, found)) >= count:
            break
    return torch.cat(found)[:count]


@every
def test_at_a_budget_of_one_it_is_the_model_as_it_is(method: Budgeted) -> None:
    model = Known()
    evaluation = EvaluationConfig(samples=300, intervals=True)
    plain = next(refined_readings(model, method, [4.0], side(300), evaluation, seed=5))
    assert plain.budget == 1
    assert torch.equal(plain.points, drawn(300, seed=5))
    (measured,) = side(300).measure(evaluation, [drawn(300, seed=5)], final=True)
    assert plain.metrics == measured
    assert {"precision", "precision.low", "precision.high", "fid"} <= plain.metrics.keys()
    assert (plain.ledger.draws, plain.ledger.scores, plain.ledger.acceptance) == (300, 0, 1.0)
    assert model.scored == model.gradients == 0, "nobody asks its critic"


@every
def test_readings_ascend_and_each_has_all_samples(method: Budgeted) -> None:
    readings = read(Known(), method, [3.0, 1.0, 1.5, 3.0, 2.0], DISTANCE)
    assert [one.budget for one in readings] == [1.0, 1.5, 2.0, 3.0]
    for one in readings:
        assert one.points.shape == (200, 1)
        assert one.ledger.samples == 200
        assert set(one.metrics) == {"fid"}
    assert read(Known(), method, [], DISTANCE)[0].metrics == readings[0].metrics
    assert len(read(Known(), method, [1.0], DISTANCE)) == 1


@every
def test_equal_seeds_give_equal_readings_and_others_give_others(method: Budgeted) -> None:
    one, other, third = (read(Known(), method, [2.0], seed=seed) for seed in (3, 3, 4))
    for ours, again, theirs in zip(one, other, third, strict=True):
        assert ours.metrics == again.metrics
        assert torch.equal(ours.points, again.points)
        assert ours.metrics["fid"] != theirs.metrics["fid"]
    assert one[1].metrics["fid"] != one[0].metrics["fid"], "the refinement does something"


def test_one_draw_in_k_is_kept_and_the_ledger_tells_it() -> None:
    """Constants are found on the very draws, so that only the numbers that decide leave it to chance: at most
    s(1 - s) a draw, s = 1/K.
    """
    evaluation = EvaluationConfig(samples=2000, metrics=(Frechet(),))
    for seed in range(3):
        for one in read(Known(2048), Obrs(), [1.5, 2.0, 4.0, 8.0], evaluation, seed)[1:]:
            share, ledger = 1 / one.budget, one.ledger
            assert abs(ledger.acceptance - share) < 3 * sqrt(share * (1 - share) / ledger.draws)
            assert ledger.acceptance == ledger.samples / ledger.draws == 2000 / ledger.draws
            assert ledger.scores == ledger.draws


def test_refined_precision_is_the_stretched_one_of_the_known_law() -> None:
    """α_λ is the least of λP(x ≤ t) + Q(x > t) over all t, since p/q grows with x.

    The share of N samples beyond t is wrong by more than √(log(2/δ)/2N) at some t with a chance of at most δ
    (Dvoretzky, Kiefer, Wolfowitz, Massart), and so is the least of them.
    """
    count = 20_000
    error = sqrt(log(2 / 1e-3) / (2 * count))
    evaluation = EvaluationConfig(samples=count, metrics=(Frechet(),))
    gained = 0.0
    for one in read(Known(2048), Obrs(), [1.5, 4.0], evaluation):
        x = np.sort(one.points[:, 0].numpy().astype(float))
        beyond = 1 - np.arange(1, count + 1) / count
        for lam in (0.1, 0.3, 1.0, 3.0):
            measured = min(1.0, float((lam * stats.norm.cdf(x - 1) + beyond).min()))
            t = 0.5 - log(lam / one.budget)  # where (λ/K)p = q
            alpha = lam / one.budget * stats.norm.cdf(t - 1) + stats.norm.sf(t)
            assert measured == pytest.approx(min(1.0, one.budget * alpha), abs=error), (one.budget, lam)
            gained = max(
                gained, measured - (lam * stats.norm.cdf(-0.5 - log(lam)) + stats.norm.sf(0.5 - log(lam)))
            )
    assert gained > 0.2, "which is far more than the model had"


def test_constants_are_found_on_the_draws_that_are_chosen_from() -> None:
    for method in CHOOSING.values():
        many = tuned_on(method, [1.5, 16.0], 2000)
        assert many == method.due(2000, 16.0) >= 32_000
        assert tuned_on(method, [2.0], 10) == tuned_on(method, [], 10) == 1 << 14
        assert tuned_on(method, [2.0, 1000.0], 10**6) == MOST_TUNED == 1 << 20
    moving = [member for member in MEMBERS.values() if isinstance(member, Moving)]
    assert len(moving) >= 4
    assert {tuned_on(member, [8.0], 10**6) for member in moving} == {0}
    (reading,) = read(Known(), Obrs(), [6.0], EvaluationConfig(samples=3000, metrics=(Frechet(),)), seed=2)[
        1:
    ]
    ratios = drawn(tuned_on(Obrs(), [6.0], 3000), seed=2)[:, 0] - 0.5
    stream = Refining(Known(), Obrs(), 6.0, Obrs().constants(ratios[None], 6.0), seed=2)
    assert torch.equal(reading.points, torch.cat([piece.points for piece in stream.pieces(3000)]))


def test_some_of_what_was_kept_and_refused_is_told() -> None:
    _, reading = read(Known(), Obrs(), [4.0], DISTANCE)
    kept, refused = reading.kept.samples, reading.refused.samples
    assert kept is not None
    assert refused is not None
    assert np.array_equal(kept, reading.points[:500].numpy())
    own, all_draws = set(reading.points[:, 0].tolist()), set(drawn(reading.ledger.draws)[:, 0].tolist())
    assert len(refused) == 500
    assert set(refused[:, 0].tolist()) <= all_draws - own
    assert refused.mean() < 0 < kept.mean(), "the data are around 1"
    moved = read(Known(), SoftTruncation(), [4.0], DISTANCE)[1]
    assert moved.refused.samples is not None
    assert len(moved.refused.samples) == 0


def test_who_listens_hears_of_every_block() -> None:
    heard: list[tuple[float, int, int]] = []

    def hear(budget: float, done: int, count: int) -> None:
        heard.append((budget, done, count))

    list(refined_readings(Known(64), Obrs(), [2.0, 1.5], side(200), DISTANCE, 0, hear))
    assert heard[:5] == [(1.0, 64, 200), (1.0, 128, 200), (1.0, 192, 200), (1.0, 200, 200), (0.0, 0, 200)]
    for budget in (1.5, 2.0):
        done = [so_far for at, so_far, _ in heard if at == budget]
        assert done == sorted(done)
        assert done[-1] == 200
        assert len(done) >= 200 * budget // 64
    assert [at for at, _, _ in heard] == sorted((at for at, _, _ in heard), key=lambda k: (k != 1, k))


@pytest.mark.parametrize(
    "method", [Obrs(), Drs(), MetropolisHastings(), Dot(), DGFlow()], ids=lambda m: m.name
)
def test_a_ratio_that_is_no_number_is_refused_once_it_is_asked_for(method: Budgeted) -> None:
    wrong = Known(256, ratio=lambda x: nan * x.sum(-1))
    readings = refined_readings(wrong, method, [2.0], side(200), DISTANCE)
    assert next(readings).budget == 1, "the model as it is needs none"
    with pytest.raises(
        ValueError, match=r"^the log ratio must be a number at every draw, got NaN at ([\d,]+) of \1;"
    ):
        next(readings)
    assert len(read(wrong, SoftTruncation(), [2.0], DISTANCE)) == 2


def test_a_ratio_that_is_zero_everywhere_is_refused() -> None:
    nothing = Known(ratio=lambda x: torch.full(x.shape[:-1], -inf))
    for method in CHOOSING.values():
        assert refusal(nothing, method, [2.0], DISTANCE) == (
            "the ratio is 0 at all 16,384 draws: every budget rejects everything; the critic holds all samples for "
            "impossible"
        )


def test_samples_that_are_not_finite_are_refused() -> None:
    class Diverged(Known):
        def _generate(self, z: Tensor) -> Tensor:
            return super()._generate(z) / torch.zeros_like(z)

    assert refusal(Diverged(), Obrs(), [2.0]) == (
        "samples of the model are not finite numbers; it has diverged, or its file is damaged"
    )


@pytest.mark.parametrize("method", [Obrs(), MetropolisHastings()], ids=lambda m: m.name)
def test_a_budget_for_which_there_are_too_few_draws_is_refused(method: Budgeted) -> None:
    assert refusal(Known(draws=5), method, [1e4], DISTANCE) == (
        "at budget K = 10000 the draws of the model came to an end before one was kept, so that nothing can be "
        "measured; ask for a smaller budget"
    )
    balls = EvaluationConfig(samples=200, metrics=(Neighbours(),))
    said = refusal(Known(draws=12), method, [5.0], balls)
    assert said.startswith("at budget K = 5 the draws of the model came to an end after ")
    assert " samples, of 200: k must be at least 1 and below the number of samples, got k=3 with " in said


def test_draws_that_come_to_an_end_give_what_there_is() -> None:
    model = of_ratios(torch.randn(1000, generator=torch.Generator().manual_seed(1)), 64)
    plain, refined = read(model, Obrs(), [4.0], EvaluationConfig(samples=500, metrics=(Frechet(),)))
    assert len(plain.points) == 500
    assert len(refined.points) == refined.ledger.samples == pytest.approx(250, abs=3 * sqrt(1000 * 3 / 16))
    assert refined.ledger.draws == 1000


@pytest.mark.parametrize("method", [Obrs(), MetropolisHastings(), DGFlow()], ids=lambda m: m.name)
def test_more_calls_than_a_sweep_may_ask_are_refused_before_the_first(method: Budgeted) -> None:
    model = Known()
    said = refusal(model, method, [2.0, 1e6])
    assert said.startswith("200 samples at budget K = 1e+06 take ")
    assert said.endswith(
        " draws or calls, and a reading at most 1e+08; ask for fewer samples or a smaller budget"
    )
    assert model.generated == model.scored == 0
