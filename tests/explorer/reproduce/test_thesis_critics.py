"""Activations as tabled, arrows as long as the gradient, and gradients of the PR-divergence that vanish."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_critics import ARROWS, LONGEST, PR_SCALE
from tests.explorer.reproduce.built import built


def _parts(name):
    """Curves and arrows of every picture, by the title above it."""
    figure = built(name)[0].figure
    axes = ["y", *(f"y{i}" for i in range(2, 10))]
    titles = [note.text for note in figure.layout.annotations]
    return {
        title: [t for t in figure.data if t.yaxis == axis] for title, axis in zip(titles, axes, strict=False)
    }


def softplus(w):
    return np.logaddexp(0, w)


def test_activations_and_conjugates_are_those_of_the_tables():
    parts = _parts("thesis-5.1")
    expected = {
        "KL: a(w), real points": lambda w: w,
        "KL: -f*(a(w)), generated points": lambda w: -np.exp(w - 1),
        "χ²: a(w), real points": lambda w: -2 + 2 * softplus(w),
        "χ²: -f*(a(w)), generated points": lambda w: 1 - softplus(w) ** 2,
        "GAN: a(w), real points": lambda w: -softplus(-w),
        "GAN: -f*(a(w)), generated points": lambda w: -softplus(w),
    }
    assert list(parts) == list(expected)
    for title, formula in expected.items():
        curve, *arrows = parts[title]
        w = np.asarray(curve.x)
        np.testing.assert_allclose(curve.y, formula(w), atol=2e-6, err_msg=title)
        for arrow in arrows:
            start, length = arrow.x[0], arrow.x[1] - arrow.x[0]
            slope = (formula(start + 1e-5) - formula(start - 1e-5)) / 2e-5
            assert length == pytest.approx(np.clip(slope, -LONGEST, LONGEST), abs=1e-4), title
            assert arrow.y[0] == pytest.approx(formula(start), abs=1e-5)
            assert (length > 0) == ("real" in title)  # up for real points, down for generated ones


def test_gradients_of_kl_explode_and_those_of_the_others_do_not():
    slopes = {"KL": np.exp(4 - 1), "GAN": 1 / (1 + np.exp(-4))}
    assert slopes["KL"] > 20 * slopes["GAN"]
    drawn = {title: len(traces) - 1 for title, traces in _parts("thesis-5.1").items()}
    assert drawn["GAN: -f*(a(w)), generated points"] == len(ARROWS)
    assert drawn["KL: -f*(a(w)), generated points"] == len(ARROWS) - 1  # the last one is off the picture


def test_gradients_of_the_pr_divergence_vanish_on_both_sides():
    for title, drawn in _parts("thesis-5.2").items():
        curves = [t for t in drawn if t.name.startswith("λ")]
        assert [t.name for t in curves] == ["λ = 0.5", "λ = 1", "λ = 2"]
        for curve in curves:
            lam = float(curve.name.removeprefix("λ = "))
            w, y = np.asarray(curve.x), np.asarray(curve.y)
            sigmoid = 1 / (1 + np.exp(-w))
            formula = lam * sigmoid if "real" in title else 1 - sigmoid - max(lam, 1)
            np.testing.assert_allclose(y, formula, atol=2e-6)
            steep = np.abs(np.gradient(y, w))
            assert steep[np.abs(w) >= 4].max() <= 0.072 * steep.max()
        middle = [t for t in drawn if t.name == "gradient in w" and t.x[0] == 0]
        assert [abs(t.x[1]) for t in middle] == pytest.approx(
            [PR_SCALE * (lam if "real" in title else 1) / 4 for lam in (0.5, 1, 2)]
        )
