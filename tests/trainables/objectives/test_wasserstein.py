"""The Wasserstein loss is a difference of means, and at the best 1-Lipschitz critic the distance itself."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trainables.objectives.wasserstein import Wasserstein

points = st.lists(st.floats(-10, 10), min_size=1, max_size=6)


@given(real=points, fake=points)
def test_the_loss_is_a_difference_of_means_and_bounds_the_distance(
    real: list[float], fake: list[float]
) -> None:
    p, q = torch.tensor([real], dtype=torch.float64), torch.tensor([fake], dtype=torch.float64)
    loss = float(Wasserstein().critic_loss(p, q))  # the critic w(x) = x, which is 1-Lipschitz
    assert loss == pytest.approx(sum(fake) / len(fake) - sum(real) / len(real), abs=1e-9)
    assert -loss <= stats.wasserstein_distance(real, fake) + 1e-9


@given(real=points, shift=st.floats(-5, 5))
def test_for_a_shift_the_bound_is_the_distance(real: list[float], shift: float) -> None:
    p = torch.tensor([real], dtype=torch.float64)
    critic = -1.0 if shift > 0 else 1.0
    loss = float(Wasserstein().critic_loss(critic * p, critic * (p + shift)))
    assert -loss == pytest.approx(abs(shift), abs=1e-9)


def test_generator_and_ratio() -> None:
    fake = torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, -3.0]])
    assert Wasserstein().generator_loss(fake, {}).tolist() == [-3.0, 1.0]
    torch.testing.assert_close(Wasserstein().log_ratio(fake), fake)
    assert Wasserstein().bend({}) is None
