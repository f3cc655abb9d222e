import math
from itertools import pairwise

import pytest
import torch
from scipy.signal import find_peaks

from trainables.divergences import DIVERGENCES
from trainables.sources.mixtures import mixture
from trainables.studies import COMB, Line, density, normal_log_density, refined, separated, separation_loss

LINE = Line.around(0.0, 4.0, 40.0, 2001)


def gaussian(mu, sigma):
    return LINE.masses(normal_log_density(LINE.x, *torch.tensor([[mu], [sigma]], dtype=torch.float64)))[0]


def test_divergences_of_gaussians_by_their_closed_forms():
    p, q = gaussian(0.5, 1.2), gaussian(-1.0, 2.0)
    kl = math.log(2 / 1.2) + (1.2**2 + 1.5**2) / (2 * 4) - 0.5
    assert float(DIVERGENCES["kl"].discrete(p, q)) == pytest.approx(kl, abs=1e-10)
    overlap = math.sqrt(2 * 1.2 * 2 / (1.44 + 4)) * math.exp(-(1.5**2) / (4 * (1.44 + 4)))
    assert float(DIVERGENCES["hellinger"].discrete(p, q)) == pytest.approx(2 - 2 * overlap, abs=1e-10)
    shifted = math.erf(1.5 / (2 * math.sqrt(2)))  # TV of N(0,1) and N(1.5,1)
    assert float(DIVERGENCES["tv"].discrete(gaussian(0, 1), gaussian(1.5, 1))) == pytest.approx(
        shifted, abs=1e-5
    )


@pytest.mark.parametrize("budget", [1.0, 1.5, 4.0])
def test_refined_law_is_a_law_within_the_budget_and_no_further(budget):
    p, q = gaussian(0.0, 1.0), gaussian(0.4, 2.5)
    law = refined(p, q, budget)
    assert float(law.sum()) == pytest.approx(1)
    assert float((law / q).max()) <= budget * (1 + 1e-9)  # q̃ ≤ K q, Lemma 6.3.1
    for name in ("kl", "reverse_kl", "tv", "chi2"):
        div = DIVERGENCES[name]
        assert div.discrete(p, law) <= div.discrete(p, q) + 1e-12


def test_what_is_no_line_is_refused():
    with pytest.raises(ValueError, match="odd number of nodes"):
        Line.around(0.0, 1.0, 2.0, 100)
    with pytest.raises(ValueError, match="scale"):
        Line.around(0.0, 3.0, 2.0, 101)
    with pytest.raises(ValueError, match="dimension 1"):
        density(mixture("gaussians8"), LINE.x)
    with pytest.raises(ValueError, match="positive"):
        separated(0.0)


def local_minima(theta, loss):
    """The θ of every valley at least 0.001 deep; a flat one counts once."""
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
