"""Means and paired differences over seeds; laws compared cell by cell."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainables.datasets.gaussians8 import Gaussians8
from trainables.randomness import Noise, Stream
from trainables.sources.mixture import GaussianMixture
from trainables.studies.equal_budgets import binned_divergences, cell_shares, paired, summary

LAW = Gaussians8().source().law
assert isinstance(LAW, GaussianMixture)
numbers = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12)


@given(values=numbers)
def test_a_summary_is_that_of_numpy(values):
    found = summary(values)
    assert found.mean == pytest.approx(float(np.mean(values)), abs=1e-9)
    assert found.error == pytest.approx(float(np.std(values, ddof=1)) / math.sqrt(len(values)), abs=1e-9)
    assert found.count == len(values)


@given(values=numbers, shift=st.floats(-10, 10))
def test_what_seeds_have_in_common_is_not_in_the_error(values, shift):
    beside = dict(enumerate(values))
    found = paired({seed: value + shift for seed, value in beside.items()}, beside)
    assert found.mean == pytest.approx(shift, abs=1e-9)
    assert found.error == pytest.approx(0.0, abs=1e-9)


def test_one_seed_has_no_error_and_pairs_need_both_sides():
    assert math.isnan(summary([3.0]).error)
    assert summary([1.0, 2.0]).text(2) == "1.50 ± 0.50"
    assert summary([3.0]).text(2) == "3.00", "one seed has no error"
    assert paired({1: 2.0, 2: 3.0}, {1: 1.0, 2: 3.0}).text(1, sign=True) == "+0.5 ± 0.5"
    with pytest.raises(ValueError, match="at least one seed"):
        summary([])
    with pytest.raises(ValueError, match=r"equal seeds on both sides, got \[1\] and \[2\]"):
        paired({1: 0.0}, {2: 0.0})


def draw(count: int, seed: int = 0) -> torch.Tensor:
    return LAW.draw(Noise(torch.tensor([seed])), Stream.UNSEEN, 0, count)[0]


def test_points_are_counted_in_their_cells_and_outside():
    edges = torch.tensor([-1.0, 0.0, 1.0])
    x = torch.tensor(
        [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.0, 0.0], [-1.0, 0.2], [1.0, 0.0], [9.0, 0.0]]
    )
    masses, shares = cell_shares(LAW, x, edges)
    assert (shares * 7).tolist() == pytest.approx([1, 2, 1, 1, 2])  # a cell has its lower ends
    assert float(masses.sum()) == pytest.approx(1.0)
    inside = (draw(200_000).abs() < 1).all(dim=1).double().mean()
    assert float(masses[:-1].sum()) == pytest.approx(float(inside), abs=0.005)


def test_the_law_itself_is_as_near_as_so_many_points_can_be():
    few, many = (binned_divergences(LAW, draw(n)) for n in (5_000, 50_000))
    assert many["js"] < few["js"] < 0.1
    assert many["tv"] < few["tv"]
    # Jensen-Shannon's excess is (cells - 1)/8n where all cells are occupied often: 1,600 are within 4σ of a mode.
    assert many["js"] < 2000 / (8 * 50_000)


def test_half_of_the_modes_are_half_of_the_law():
    x = draw(40_000)
    kept = x[x[:, 0] + 0.01 > 0]
    near = kept[torch.cdist(kept, LAW.means[[0, 1, 2, 6, 7]]).min(dim=1).values < 0.9]
    found = binned_divergences(LAW, near)
    assert found["tv"] == pytest.approx(1 - 4 / 8, abs=0.05)  # two of the modes are cut in two
    assert found["js"] == pytest.approx(_js_of_half(), abs=0.05)


def _js_of_half() -> float:
    """½ KL(p‖m) + ½ KL(q‖m) of p = (½, ½) and q = (1, 0)."""
    m = (0.75, 0.25)
    return 0.5 * (0.5 * math.log(0.5 / m[0]) + 0.5 * math.log(0.5 / m[1])) + 0.5 * math.log(1 / m[0])


def test_only_points_of_the_plane_have_cells():
    with pytest.raises(ValueError, match=r"points in the plane.*got \(5, 3\)"):
        binned_divergences(LAW, torch.zeros(5, 3))
