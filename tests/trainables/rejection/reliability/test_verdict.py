"""What is made of ratios whose faults are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.trainables.rejection.reliability.laws import gaussians
from trainables.rejection.calibrations import Isotonic, Slope
from trainables.rejection.calibrations.calibration import Calibration
from trainables.rejection.reliability import Reliability, fit_and_judge, reliability

SEEDS = range(5)


def judged(
    change: Callable[[Tensor], Tensor],
    seed: int,
    shift: float = 1.0,
    count: int = 2000,
    budget: float = 4.0,
    calibration: str = "",
) -> Reliability:
    return reliability(
        *(change(part) for part in gaussians(shift, count, count, seed)), budget, calibration=calibration
    )


@pytest.mark.parametrize(
    ("change", "kind", "words", "remedy"),
    [
        (lambda s: 2 * s, "over-confident", "2 times too large", "isotonic"),
        (lambda s: s / 2, "under-confident", "2 times too small", "slope"),
        (lambda s: 50 * s, "over-confident", "times too large", "slope"),
        (lambda s: s**3 / 4, "bent", "not in proportion", "isotonic"),
        (lambda s: -s, "disordered", "fewer real points", "classifier fitted after|fit a classifier after"),
        (lambda s: -(s + 0.5).abs(), "disordered", "as in bin", "critic longer"),
    ],
    ids=["doubled", "halved", "fifty-fold", "cubed", "turned", "folded"],
)
def test_a_fault_is_named_and_answered(
    change: Callable[[Tensor], Tensor], kind: str, words: str, remedy: str
) -> None:
    import re

    for seed in SEEDS:
        found = judged(change, seed, shift=1.5).verdict
        assert (found.kind, found.trusted) == (kind, False)
        assert re.search(remedy, found.remedy)
    assert re.search(words.replace("2 times", r"(2|2\.1|1\.9) times"), found.sentence)


def test_right_ratios_hold() -> None:
    kinds = [judged(lambda s: s, seed, shift).verdict.kind for seed in range(20) for shift in (0.5, 1.0, 3.0)]
    assert kinds.count("holds") >= 58  # 1 % of 60 may be refused, and 1 % called shifted


def test_ratios_that_are_off_by_a_factor_are_trusted_and_it_is_told() -> None:
    for seed in SEEDS:
        found = judged(lambda s: s + 1, seed).verdict
        assert (found.kind, found.trusted) == ("shifted", True)
        assert "times too large" in found.sentence
        assert "slope" in found.remedy
    assert "2.7 times" in judged(lambda s: s + 1, 0, count=20_000).verdict.sentence.replace("2.72", "2.7")


def test_ratios_that_are_off_by_a_factor_besides_are_told_so() -> None:
    found = judged(lambda s: 2 * s - 3, 0).verdict
    assert found.kind == "over-confident"
    assert "besides, all ratios are" in found.sentence


def test_few_points_decide_nothing() -> None:
    for count in (1, 2, 5, 20):
        found = judged(lambda s: s, 1, count=count).verdict
        assert (found.kind, found.trusted) == ("too few points", False)
        assert "too few points to tell" in found.sentence
        assert "Hold out more points" in found.remedy


def test_laws_that_hardly_overlap_leave_nothing_to_be_judged() -> None:
    found = judged(lambda s: s, 1, shift=9.0).verdict
    assert found.kind == "too few points"
    assert "hardly overlap" in found.sentence


def test_certainty_that_is_contradicted_is_over_confidence() -> None:
    """Ratios e^±50 of which every tenth is wrong: normal laws say nothing, the count does."""
    real = torch.where(torch.arange(500) % 10 == 0, -50.0, 50.0)
    found = reliability(real, -real, 4.0).verdict
    assert found.kind == "over-confident"


def test_a_score_of_pure_noise_is_over_confident_and_calibration_is_not_advised() -> None:
    generator = torch.Generator().manual_seed(0)
    found = reliability(*torch.randn(2, 2000, generator=generator), 4.0).verdict
    assert found.kind == "over-confident"
    assert "about as frequent" in found.sentence
    assert "alibrat" not in found.remedy


def test_flat_ratios_hold_and_change_nothing() -> None:
    found = judged(lambda s: s, 3, shift=0.01).verdict
    assert found.trusted
    assert "changes next to nothing" in found.sentence


@pytest.mark.parametrize("kind", [Slope, Isotonic])
def test_a_critic_that_calibration_has_silenced_is_not_left_without_advice(kind: type[Calibration]) -> None:
    """Scores that are turned round come out flat, which contradicts nothing, of laws that differ all the same."""
    real, fake = gaussians(1.5, 4000, 4000, 0)
    (_, (found,)) = fit_and_judge(kind, -real[None], -fake[None], 4.0)
    assert found.moved == pytest.approx(0, abs=0.01)
    assert "its critic tells nothing" in found.verdict.sentence
    assert "fit a classifier" in found.verdict.remedy
    assert "classifier" not in judged(lambda s: s, 0, shift=1.5).verdict.remedy


def test_a_deviation_that_is_sure_but_small_is_left_alone() -> None:
    found = judged(lambda s: 1.08 * s, 3, count=50_000)
    assert found.misfit.p_value < 1e-6
    assert found.verdict.trusted
    assert "too little to matter" in found.verdict.sentence


def test_ratios_that_a_few_points_carry_are_told() -> None:
    found = judged(lambda s: s, 0, shift=3.0)
    assert found.effective < 30
    assert f"{found.effective:.0f} generated points have about all of its weight" in found.verdict.sentence


@pytest.mark.parametrize(
    ("change", "calibration"),
    [(lambda s: 2 * s, "slope"), (lambda s: 2 * s, "isotonic"), (lambda s: s**3 / 4, "isotonic")],
)
def test_what_was_done_already_is_not_advised(change: Callable[[Tensor], Tensor], calibration: str) -> None:
    found = judged(change, 0, shift=1.5, calibration=calibration).verdict
    assert not found.trusted
    assert found.remedy.startswith("Hold out more points for the calibration")
