"""The loss of a comb against the distance of its teeth, and how rejection flattens it."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch

from trainables.divergences import DIVERGENCES
from trainables.studies import COMB, separated, separation_loss


def local_minima(theta, loss):
    """The θ of every valley at least 0.001 deep; a flat one counts once."""
    from scipy.signal import find_peaks  # takes a second to import

    # A wall of 0, the largest GAN value, at both ends: a valley at the edge of the range counts too.
    # Rounding turns a floor that wiggles by 1e-16 into the plateau it is.
    walled = [0.0, *(round(v, 9) for v in loss.tolist()), 0.0]
    return [float(theta[i - 1]) for i in find_peaks([-v for v in walled], prominence=1e-3)[0]]


def test_rejection_flattens_the_landscape():
    """Figure 6.13: local minima at K = 1 on both sides of the truth, none left but the truth at K = 10."""
    theta = torch.linspace(0.8, 3.2, 97, dtype=torch.float64)
    losses = {k: separation_loss(DIVERGENCES["gan"], theta, k) for k in (1.0, 2.0, 5.0, 10.0)}
    minima = {k: local_minima(theta, loss) for k, loss in losses.items()}
    assert any(t < 1.9 for t in minima[1.0])
    assert any(t > 2.1 for t in minima[1.0])
    assert len(minima[1.0]) == 3
    assert minima[5.0] == [pytest.approx(2.0, abs=0.3)]
    assert minima[10.0] == [pytest.approx(2.0, abs=0.3)]
    for loss in losses.values():
        assert float(loss.min()) == pytest.approx(-math.log(4), abs=1e-9)
        assert float(loss[48]) == pytest.approx(-math.log(4), abs=1e-9)  # θ = 2, the truth
    for less, more in pairwise(losses.values()):
        assert (more <= less + 1e-12).all()


def test_the_target_comb():
    assert COMB.means.diff(dim=0).flatten().tolist() == pytest.approx([2.0] * 9)
    assert float(COMB.means.sum()) == pytest.approx(0)


def test_a_comb_without_a_distance_is_refused():
    for theta in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="positive"):
            separated(theta)


def test_the_comb_has_ten_equal_teeth():
    comb = separated(1.2, sigma=0.3)
    assert comb.means.flatten().tolist() == pytest.approx([1.2 * (i - 4.5) for i in range(10)])
    assert comb.weights.tolist() == pytest.approx([0.1] * 10)
    assert comb.sigma == 0.3


@pytest.mark.parametrize("name", ["js", "hellinger", "tv"])
def test_the_loss_is_the_integral_over_the_line(name):
    """A plain Riemann sum over an even grid, with the densities written out."""
    x = torch.linspace(-20, 20, 40_001, dtype=torch.float64)

    def law(theta):
        teeth = [torch.exp(-((x - theta * (i - 4.5)) ** 2) / (2 * 0.4**2)) for i in range(10)]
        return sum(teeth) / (10 * 0.4 * math.sqrt(2 * math.pi)) + 1e-300

    div, theta = DIVERGENCES[name], torch.tensor([1.3, 2.0, 2.6], dtype=torch.float64)
    expected = [float(div.integrand(law(2.0), law(float(t))).sum() * (x[1] - x[0])) for t in theta]
    assert separation_loss(div, theta).tolist() == pytest.approx(expected, rel=1e-4, abs=1e-9)
