"""Estimates of the PR-divergence lie near the truth, within their bound, and as the caption and table tell."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_primal import FEW, MANY, ellipse
from tests.explorer.reproduce.built import built, traces


def _errors(axis):
    figure = built("thesis-5.6")[0].figure
    sets = [t for t in figure.data if t.mode == "markers" and t.yaxis == axis]
    return {t.name: float(np.abs(np.asarray(t.y) - np.asarray(t.x)).mean()) for t in sets}


def test_chi2_errs_less_on_few_samples_as_printed_and_not_on_many():
    few, many = _errors("y"), _errors("y2")
    assert few["g = χ²"] < few["g = KL"]
    assert many["g = KL"] < many["g = χ²"]
    assert all(many[name] < few[name] for name in few)


def test_the_table_tells_the_errors_that_are_drawn():
    first = built("thesis-5.6")[0]
    for number, samples, axis in zip(first.numbers, (FEW, MANY), ("y", "y2"), strict=True):
        assert f"{samples:,} samples" in number.what
        assert number.printed == "χ² lower"
        told = [float(part) for part in number.computed.split(" and ")]
        assert told == pytest.approx(list(_errors(axis).values()), abs=6e-4)


def test_no_error_exceeds_its_bound():
    sets = {name: t for name, t in traces("thesis-5.6", 1).items() if name.startswith("g")}
    assert len(sets) == 2
    for trace in sets.values():
        assert len(trace.x) == 24
        assert (np.asarray(trace.y) <= np.asarray(trace.x)).all()
    assert np.median(sets["g = KL"].x) > 5 * np.median(sets["g = χ²"].x)


def test_ellipses_are_at_mahalanobis_distance_one():
    points = np.random.default_rng(0).normal(size=(200, 2)) @ np.array([[2.0, 0.5], [0.0, 0.3]]) + [3.0, -1.0]
    edge = np.stack(ellipse(points), axis=1) - points.mean(0)
    distance = np.einsum("ni,ij,nj->n", edge, np.linalg.inv(np.cov(points.T)), edge)
    np.testing.assert_allclose(distance, 1.0, rtol=1e-9)
