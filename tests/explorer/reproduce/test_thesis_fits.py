"""One Gaussian on two modes: the divergences split into covering and seeking, as the thesis draws."""

from __future__ import annotations

import re

import numpy as np
import pytest

from explorer.reproduce.thesis_fits import TARGET_NOTE, exact_curve, model_density, target_density
from tests.explorer.reproduce.built import built, traces
from trainables.studies import Fit


@pytest.mark.parametrize("name", ["thesis-4.1", "thesis-4.6"])
def test_the_star_is_where_the_landscape_is_lowest(name):
    data = built(name)[0].figure.data
    for surface, star in zip(data[::2], data[1::2], strict=True):
        z = np.asarray(surface.z)
        i = np.abs(np.asarray(surface.y) - star.y[0]).argmin()
        j = np.abs(np.asarray(surface.x) - star.x[0]).argmin()
        # The star lies between grid points: its cell is within a curvature's worth of the lowest.
        assert z[i, j] <= z.min() + 0.02 * (z.max() - z.min())


def test_six_divergences_split_into_covering_and_seeking():
    laws = traces("thesis-4.2")
    height = {title: max(trace.y) for title, trace in laws.items()}
    assert all(height[title] < 0.13 for title in ("KL", "χ²", "Hellinger²"))
    assert all(height[title] > 0.24 for title in ("reverse KL", "JS", "TV"))


def test_each_trade_off_is_best_at_its_own_ray():
    curves = traces("thesis-4.8")

    def precision_at(title, lam):
        alpha, beta = (np.asarray(v) for v in (curves[title].x, curves[title].y))
        return np.interp(np.log(lam), np.log(alpha / beta), alpha)

    for lam in (0.1, 1.0, 10.0):
        own = precision_at(f"λ = {lam:g}", lam)
        assert all(own >= precision_at(title, lam) - 1e-3 for title in curves)


GAUSSIAN = Fit("kl", 1.0, mu=-0.7, sigma=3.5, value=0.0, tied=False)
LINE = np.linspace(-40, 40, 16_001)


def _normal(x, mu, sigma):
    return np.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))


def test_the_target_is_the_mixture_its_note_states():
    expected = 0.6 * _normal(LINE, -3.5, 1.0) + 0.4 * _normal(LINE, 3.5, 1.0)
    np.testing.assert_allclose(target_density(LINE), expected, atol=1e-12)
    assert "0.6 N(-3.5, 1) + 0.4 N(3.5, 1)" in TARGET_NOTE


def test_a_model_is_its_gaussian_and_refined_a_density_below_the_budget():
    plain, refined = model_density(LINE, GAUSSIAN), model_density(LINE, GAUSSIAN, 2.0)
    np.testing.assert_allclose(plain, _normal(LINE, -0.7, 3.5), rtol=1e-6, atol=1e-12)
    assert np.trapezoid(refined, LINE) == pytest.approx(1.0, abs=1e-4)
    assert (refined <= 2.0 * plain * (1 + 1e-6)).all()
    p = target_density(LINE)
    assert np.abs(refined - p).sum() < np.abs(plain - p).sum()


@pytest.mark.parametrize("budget", [1.0, 2.0])
def test_the_exact_curve_is_the_integral_of_the_minimum(budget):
    alpha, beta = exact_curve(GAUSSIAN, budget)
    assert alpha.shape == beta.shape == (201,)
    p, q = target_density(LINE), model_density(LINE, GAUSSIAN, budget)
    for i in (20, 100, 180):
        lam = alpha[i] / beta[i]
        assert alpha[i] == pytest.approx(np.trapezoid(np.minimum(lam * p, q), LINE), abs=1e-3)
    assert alpha[100] == pytest.approx(beta[100])  # the middle of the grid is λ = 1


def test_the_captions_tell_the_parameters_that_are_drawn():
    (panel,) = built("thesis-4.7")
    for title, trace in traces("thesis-4.7").items():
        if title == "target P":
            continue
        told = re.search(rf"{title} N\((-?[\d.]+), ([\d.]+)²\)", panel.caption)
        assert told is not None, title
        mu, sigma = (float(number) for number in told.groups())
        np.testing.assert_allclose(trace.y, _normal(np.asarray(trace.x), mu, sigma), atol=0.01)
