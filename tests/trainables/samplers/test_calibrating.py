"""A ratio is calibrated and judged on held-out real points, whatever the model is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainables.samplers.known import Known
from tests.trainables.samplers.known_model import of_ratios
from tests.trainables.samplers.scripts import Critic, Generator, saved
from tests.trainables.samplers.trained import TAGGED, sampler, trained
from trainables.rejection.calibrations import CALIBRATIONS, Isotonic, Slope, Unchanged
from trainables.samplers.calibrating import calibrated_by, calibrated_on
from trainables.samplers.pool import Pool, log_ratio_at
from trainables.samplers.scripted import Scripted
from trainables.samplers.trained import Trained


@pytest.mark.parametrize("kind", [Slope, Isotonic])
def test_a_ratio_that_is_too_sure_of_itself_is_mended(kind: type[Slope | Isotonic]) -> None:
    model = Known(slope=4.0)
    found = calibrated_on(model, kind, model.real(8000), 8000, seed=1)
    real = model.real(2000, seed=7)
    inside = ((real > -1.5) & (real < 2.5)).flatten()
    apart = (log_ratio_at(found.model, real) - model.exact(real))[inside]
    assert float(apart.abs().mean()) < 0.15
    assert found.reliability.verdict.trusted
    assert (found.reliability.real, found.reliability.fake) == (4000, 4000)
    pool = next(found.model.pools(2))
    assert pool.log_ratio is not None
    assert torch.equal(pool.log_ratio, log_ratio_at(found.model, pool.points))
    assert pool.block is not None
    assert torch.equal(pool.block.log_ratio(pool.block.points)[0], pool.log_ratio)


def test_a_ratio_that_is_left_as_it_is_is_judged_all_the_same() -> None:
    model = Known(slope=4.0)
    judged = calibrated_on(model, Unchanged, model.real(4000), 4000, seed=1).reliability
    assert (judged.verdict.kind, judged.verdict.trusted) == ("over-confident", False)
    right = Known()
    judged = calibrated_on(right, Unchanged, right.real(4000), 4000, seed=1, budget=3.0).reliability
    assert judged.verdict.trusted
    assert judged.budget == 3.0


@pytest.mark.parametrize("kind", CALIBRATIONS.values(), ids=lambda kind: kind.name)
def test_a_users_own_networks_are_calibrated_too(kind: type[Slope], tmp_path: Path) -> None:
    model = Scripted(saved(Generator(), tmp_path / "g.pt"), saved(Critic(), tmp_path / "c.pt"))
    found = calibrated_on(model, kind, Known().real(3000), 3000, seed=1)
    assert found.reliability.verdict.trusted
    assert found.calibration.name == kind.name


def test_scores_of_real_points_do_where_there_is_no_critic() -> None:
    model = Known(slope=3.0)
    scores = log_ratio_at(model, model.real(4000))
    one = calibrated_by(model, Slope, scores, 4000, seed=1)
    other = calibrated_on(model, Slope, model.real(4000), 4000, seed=1)
    assert torch.equal(one.calibration.slope, other.calibration.slope)  # type: ignore[attr-defined]


class Blind:
    """Draws that know their scores, or not even these."""

    def __init__(self, scored: bool) -> None:
        self._own, self._scored, self.shape = Known(), scored, (1,)

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        for pool in self._own.pools(seed, first):
            yield pool if self._scored else replace(pool, scored=None)

    def shown(self, points: torch.Tensor):  # type: ignore[no-untyped-def]
        return self._own.shown(points)


def test_what_cannot_be_calibrated_says_why() -> None:
    with pytest.raises(ValueError, match="at given points needs a critic"):
        calibrated_on(Blind(True), Slope, torch.zeros(10, 1), 10, 0)
    with pytest.raises(ValueError, match="needs a ratio, and none is known"):
        calibrated_by(Blind(False), Slope, torch.zeros(10), 10, 0)
    with pytest.raises(ValueError, match="at least 2 draws, got 1"):
        calibrated_by(Known(), Slope, torch.zeros(10), 1, 0)
    with pytest.raises(ValueError, match="5 of 5 of real points of trial 0 are NaN"):
        calibrated_by(Known(), Slope, torch.full((10,), torch.nan), 10, 0)


@pytest.mark.parametrize("kind", ["points", "lam", "images"])
def test_a_trial_scores_points_as_it_scores_its_draws(kind: str) -> None:
    made = sampler(trained(kind).file)
    made._scale = 1.0  # of a critic trained for a few steps nothing may be left
    model = Trained(made)
    pool = next(model.pools(3))
    assert pool.log_ratio is not None
    torch.testing.assert_close(model.log_ratio_at(pool.points), pool.log_ratio, rtol=1e-4, atol=1e-4)
    x = pool.points[:5].clone().requires_grad_()
    (slope,) = torch.autograd.grad(model.log_ratio_at(x).sum(), x)
    assert (slope != 0).any()
    with pytest.raises(ValueError, match="points must be samples of shape"):
        model.log_ratio_at(torch.zeros(3, 9))


def test_a_conditional_trial_wants_the_classes_of_points(tmp_path: Path) -> None:
    (tmp_path / "tagged.py").write_text(TAGGED)
    made = sampler(trained("tagged", tmp_path).file)
    model, alone = Trained(made), Trained(made, label=4)
    pool, fours = next(model.pools(3)), next(alone.pools(3))
    assert pool.log_ratio is not None
    assert fours.log_ratio is not None
    found = model.log_ratio_at(pool.points, pool.classes)
    torch.testing.assert_close(found, pool.log_ratio, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(alone.log_ratio_at(fours.points), fours.log_ratio, rtol=1e-4, atol=1e-4)
    with pytest.raises(ValueError, match="scores points of 10 classes; give the class of each point"):
        model.log_ratio_at(pool.points)
    with pytest.raises(ValueError, match=r"classes must be 0 … 9, got 0 … 10"):
        model.log_ratio_at(pool.points[:11], torch.arange(11))
    with pytest.raises(ValueError, match="one whole number for each of 5 points"):
        model.log_ratio_at(pool.points[:5], torch.zeros(4, dtype=torch.int64))
    real = calibrated_on(model, Slope, pool.points, 1000, 5, classes=pool.classes)
    assert real.reliability.real == 1024


def test_a_ratio_that_tells_nothing_is_not_calibrated_into_one() -> None:
    zero = of_ratios(torch.full((400,), -torch.inf))
    with pytest.raises(
        ValueError, match=r"^the ratio is 0 at all 400 draws: every budget rejects everything"
    ):
        calibrated_by(zero, Slope, torch.zeros(200), 400, seed=0)
    with pytest.raises(
        ValueError, match=r"^the log ratio must be a number at every draw, got NaN at 400 of 400"
    ):
        calibrated_by(of_ratios(torch.full((400,), torch.nan)), Slope, torch.zeros(200), 400, seed=0)
