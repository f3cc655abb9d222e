"""Truncated latents: inside the box or scaled, and the recall that is left is the mass of the box."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.explorer.reproduce.built import built, traces

BOX = math.erf(1 / math.sqrt(2)) ** 2


def _by_column(panel: int = 0) -> dict[str, list[np.ndarray]]:
    found: dict[str, list[np.ndarray]] = {}
    for trace in built("thesis-2.2")[panel].figure.data:
        found.setdefault(trace.xaxis, []).append(np.column_stack([trace.x, trace.y]))
    return found


def test_hard_truncation_leaves_the_box_alone_and_fills_it():
    columns = _by_column()
    outside, inside = columns["x"]
    assert (np.abs(inside) <= 1).all()
    assert (np.abs(outside) > 1).any(axis=1).all()
    share = len(inside) / (len(inside) + len(outside))
    assert share == pytest.approx(BOX, abs=0.05)
    (hard,) = columns["x2"]
    assert (np.abs(hard) <= 1).all()
    assert len(hard) == len(inside) + len(outside)
    assert {tuple(z) for z in inside} <= {tuple(z) for z in hard}


def test_soft_truncation_scales_every_latent():
    columns = _by_column()
    (before,), (after,) = columns["x3"], columns["x4"]
    np.testing.assert_allclose(after, 0.6 * before, atol=1e-4)


def test_the_curves_end_at_the_mass_of_the_box_and_at_one():
    drawn = traces("thesis-2.2", 1)
    hard, soft = drawn["hard, ψ = 1, curve"], drawn["soft, ψ = 0.6, curve"]
    assert max(hard.y) == pytest.approx(BOX, abs=1e-5)
    assert max(soft.y) == pytest.approx(1.0, abs=1e-4)
    assert max(hard.x) == pytest.approx(1.0)
    assert max(soft.x) == pytest.approx(1.0)
    assert f"{BOX:.3f}" in built("thesis-2.2")[1].caption
    assert f"{1 - BOX:.0%}" in built("thesis-2.2")[0].caption


def test_the_laws_of_a_coordinate_have_mass_one():
    drawn = traces("thesis-2.2", 1)
    for name in ("Q", "hard, ψ = 1", "soft, ψ = 0.6"):
        assert np.trapezoid(drawn[name].y, drawn[name].x) == pytest.approx(1.0, abs=0.01), name
