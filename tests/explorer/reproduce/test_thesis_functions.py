"""The generators as printed, and a curve whose distance to min(1, λ) is the PR-divergence."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_fits import model_density, target_density
from tests.explorer.reproduce.built import traces
from trainables.divergences import DIVERGENCES
from trainables.studies import fit_gaussian


def test_generators_are_drawn_without_their_tangent_at_one():
    drawn = traces("thesis-4.3")
    assert set(drawn) == {"KL", "reverse KL", "JS", "TV", "χ²"}
    u = np.asarray(drawn["KL"].x)
    expected = {
        "KL": u * np.log(u) - (u - 1),
        "reverse KL": u - 1 - np.log(u),
        "TV": np.abs(u - 1) / 2,
        "χ²": (u - 1) ** 2,
    }
    for title, values in expected.items():
        np.testing.assert_allclose(drawn[title].y, values, atol=1e-3, err_msg=title)
    for title, trace in drawn.items():
        y = np.asarray(trace.y)
        assert y.min() >= 0, title
        assert y[np.abs(u - 1).argmin()] == pytest.approx(0, abs=5e-3), title
        assert np.diff(y, 2).min() >= -3e-6, title  # convex, up to the rounding to six digits


def test_pr_generators_are_two_lines_that_meet_at_one_over_lambda():
    drawn = traces("thesis-4.4")
    assert len(drawn) == 5
    for title, trace in drawn.items():
        lam = float(title.removeprefix("λ = "))
        u, y = np.asarray(trace.x), np.asarray(trace.y)
        np.testing.assert_allclose(y, np.maximum(lam * u, 1) - max(lam, 1), atol=1e-6, err_msg=title)
        assert y[np.abs(u - 1).argmin()] == pytest.approx(0, abs=1e-6)


def test_the_thick_segments_have_the_length_of_the_divergence():
    fit = fit_gaussian(DIVERGENCES["tv"])
    x = np.linspace(-40, 40, 16_001)
    p, q = target_density(x), model_density(x, fit)
    segments = {title: t for title, t in traces("thesis-4.5").items() if title.startswith("λ")}
    assert len(segments) == 3
    for title, segment in segments.items():
        lam = float(title.split(":")[0].removeprefix("λ = "))
        missing = min(1, lam) - np.trapezoid(np.minimum(lam * p, q), x)
        assert segment.x[1] - segment.x[0] == pytest.approx(missing, abs=2e-3)
        assert segment.y[0] == segment.y[1] == pytest.approx(segment.x[0] / lam)
        assert title.endswith(f"D = {segment.x[1] - segment.x[0]:.3f}")
