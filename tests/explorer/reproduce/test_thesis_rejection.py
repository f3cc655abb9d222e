"""Rejection flattens the loss, and a model trained through it covers what one refined afterwards does not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.explorer.reproduce.built import built, traces


def test_the_star_is_where_the_landscape_is_lowest():
    data = built("thesis-6.15")[0].figure.data
    for surface, star in zip(data[::2], data[1::2], strict=True):
        z = np.asarray(surface.z)
        i = np.abs(np.asarray(surface.y) - star.y[0]).argmin()
        j = np.abs(np.asarray(surface.x) - star.x[0]).argmin()
        # The star lies between grid points: its cell is within a curvature's worth of the lowest.
        assert z[i, j] <= z.min() + 0.02 * (z.max() - z.min())


def test_refinement_after_the_fact_does_not_catch_up():
    curves = traces("thesis-6.15", 1)

    def area(title):
        alpha, beta = (np.asarray(v) for v in (curves[title].x, curves[title].y))
        order = np.argsort(alpha)
        return np.trapezoid(beta[order], alpha[order])

    assert area("trained through K = 2, refined") > area("trained at K = 1, then refined") + 0.25
    assert area("trained at K = 1, then refined") < area("trained at K = 1") + 0.02


def test_local_minima_vanish_as_the_budget_grows():
    losses = traces("thesis-6.13", 1)
    assert list(losses) == ["K = 1", "K = 1.5", "K = 2", "K = 5", "K = 10"]

    from scipy.signal import find_peaks  # takes a second to import

    def valleys(trace):
        walled = [0.0, *trace.y, 0.0]  # a valley at the edge of the range counts too
        return len(find_peaks([-v for v in walled], prominence=1e-3)[0])

    assert valleys(losses["K = 1"]) == 3
    assert valleys(losses["K = 10"]) == 1
    floors = [min(trace.y) for trace in losses.values()]
    assert floors == pytest.approx([-np.log(4)] * 5, abs=1e-5)  # every budget leaves the truth the best


def test_the_combs_are_densities_of_ten_teeth():
    drawn = traces("thesis-6.13")
    assert list(drawn) == ["target P", "θ = 1.2", "θ = 3"]
    for title, trace in drawn.items():
        assert np.trapezoid(trace.y, trace.x) == pytest.approx(1.0, abs=1e-3), title
    from scipy.signal import find_peaks

    assert len(find_peaks(drawn["target P"].y)[0]) == len(find_peaks(drawn["θ = 3"].y)[0]) == 10


def test_the_refined_laws_are_densities_and_the_caption_tells_the_losses():
    *_, last = built("thesis-6.15")
    for title, trace in traces("thesis-6.15", 2).items():
        assert np.trapezoid(trace.y, trace.x) == pytest.approx(1.0, abs=0.01), title
    told = re.search(r"falls from (-[\d.]+) to (-[\d.]+);", last.caption)
    assert told is not None
    alone, through = (float(number) for number in told.groups())
    assert -np.log(4) < through < alone - 0.2
