"""Points to fit on and points to judge on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.trainables.rejection.reliability.laws import gaussians
from trainables.rejection.calibrations import CALIBRATIONS, Isotonic
from trainables.rejection.reliability import Reliability, fit_and_judge, halves


@given(st.integers(2, 50), st.integers(2, 50))
def test_no_point_is_in_both_halves_and_none_is_lost(count_real: int, count_fake: int) -> None:
    real, fake = torch.arange(count_real)[None], torch.arange(count_fake)[None]
    fitted, judged = halves(real, fake)
    for kind, count in ((0, count_real), (1, count_fake)):
        both = torch.cat((fitted[kind], judged[kind]), dim=1)[0].sort().values
        assert both.tolist() == list(range(count))
        assert 0 <= fitted[kind].shape[1] - judged[kind].shape[1] <= 1


def test_a_single_point_cannot_be_shared_out() -> None:
    with pytest.raises(ValueError, match="at least 2 points of each kind, got 5 real and 1 generated"):
        halves(torch.zeros(1, 5), torch.zeros(1, 1))


def judged(name: str, change: Callable[[Tensor], Tensor], trials: int = 6) -> list[Reliability]:
    pairs = [gaussians(1.5, 4000, 4000, seed) for seed in range(trials)]
    real, fake = (torch.stack([change(pair[side]) for pair in pairs]) for side in (0, 1))
    calibration, found = fit_and_judge(CALIBRATIONS[name], real, fake, 4.0)
    assert calibration.name == name
    assert all(one.real == one.fake == 2000 for one in found)
    return found


@pytest.mark.parametrize(
    ("change", "holding"),
    [
        (lambda s: s, {"none", "normalised", "slope", "isotonic"}),
        (lambda s: 3 * s + 1, {"slope", "isotonic"}),
        (lambda s: s**3 / 4, {"isotonic"}),
    ],
    ids=["exact", "scaled", "bent"],
)
def test_a_calibration_holds_where_it_can_and_is_refused_where_it_cannot(
    change: Callable[[Tensor], Tensor], holding: set[str]
) -> None:
    for name in CALIBRATIONS:
        trusted = sum(one.verdict.trusted for one in judged(name, change))
        assert trusted >= 5 if name in holding else trusted == 0, name


def test_the_half_that_judges_has_not_been_seen() -> None:
    real, fake = (part[None] for part in gaussians(1.0, 400, 400, 0))
    changed = [part.clone() for part in (real, fake)]
    for part in changed:
        part[:, 1::2] += 5
    one, _ = fit_and_judge(Isotonic, real, fake, 2.0)
    two, _ = fit_and_judge(Isotonic, *changed, 2.0)
    assert torch.equal(one.places, two.places)
    assert torch.equal(one.values, two.values)
