"""Common parts and what is left, the set of pairs below its curve, a diverse and a precise model."""

from __future__ import annotations

import re

import numpy as np
import pytest

from explorer.reproduce.thesis_parts import LAWS, X, density_of, full_curve
from tests.explorer.reproduce.built import built, traces
from trainables.studies.gaussian_fit import TARGET
from trainables.studies.line_models import DIVERSE, MISWEIGHTED, PRECISE


def _mass(trace) -> float:
    return float(np.trapezoid(trace.y, trace.x))


def test_the_common_part_is_the_minimum_and_its_mass_is_told():
    drawn = traces("thesis-3.4")
    p, q = density_of(TARGET), density_of(MISWEIGHTED)
    common = drawn["βμ = αμ: common"]
    np.testing.assert_allclose(common.y, np.minimum(p, q), atol=1e-5)
    assert f"α₁ = β₁ = {_mass(common):.3f}" in built("thesis-3.4")[0].caption


def test_the_three_laws_make_up_both_again():
    drawn = traces("thesis-3.4")
    mu, missed, invented = (np.asarray(drawn[name].y) for name in ("μ", "ν<sub>P</sub>", "ν<sub>P̂</sub>"))
    for law in (mu, missed, invented):
        assert np.trapezoid(law, X) == pytest.approx(1.0, abs=1e-3)
    share = _mass(drawn["βμ = αμ: common"])
    np.testing.assert_allclose(share * mu + (1 - share) * missed, density_of(TARGET), atol=1e-4)
    np.testing.assert_allclose(share * mu + (1 - share) * invented, density_of(MISWEIGHTED), atol=1e-4)


def test_no_random_common_part_is_above_the_curve_and_some_are_near():
    drawn = traces("thesis-3.5")
    dots = drawn["400 random μ"]
    line = np.asarray(drawn["PRD(P, P̂)"].x), np.asarray(drawn["PRD(P, P̂)"].y)
    # Along its own ray β = α/λ each dot stops at the curve.
    inner = (line[0] > 0) & (line[1] > 0)
    angle = np.arctan2(line[1], line[0])[inner]
    reach = np.hypot(*line)[inner]
    order = np.argsort(angle)
    alpha, beta = np.asarray(dots.x), np.asarray(dots.y)
    assert len(alpha) == 400
    limit = np.interp(np.arctan2(beta, alpha), angle[order], reach[order])
    share = np.hypot(alpha, beta) / limit
    assert share.max() <= 1 + 2e-3
    assert (share > 0.95).sum() > 10
    assert (share < 0.5).sum() > 50


@pytest.mark.parametrize(("name", "model"), [("thesis-3.6", DIVERSE), ("thesis-3.7", PRECISE)])
def test_models_are_drawn_with_their_curves(name, model):
    drawn = traces(name)
    np.testing.assert_allclose(drawn["P"].y, density_of(TARGET), atol=1e-6)
    np.testing.assert_allclose(drawn["P̂"].y, density_of(model), atol=1e-6)
    alpha, beta = full_curve(model)
    np.testing.assert_allclose(drawn["PRD(P, P̂)"].x, alpha, atol=1e-5)
    assert (alpha.max(), beta.max()) == pytest.approx((1.0, 1.0))
    p, q = density_of(TARGET), density_of(model)
    middle = int(np.argmin(np.abs(alpha - beta)))
    assert alpha[middle] == pytest.approx(np.trapezoid(np.minimum(p, q), X), abs=5e-3)


def _at_nine_tenths(name: str) -> tuple[float, float]:
    told = re.search(
        r"precision 0\.9 recall is (\S+), at recall 0\.9 precision is ([\d.]+)\.", built(name)[0].caption
    )
    assert told is not None
    return float(told.group(1)), float(told.group(2))


def test_one_model_has_recall_where_the_other_has_precision():
    recall_of_diverse, precision_of_diverse = _at_nine_tenths("thesis-3.6")
    recall_of_precise, precision_of_precise = _at_nine_tenths("thesis-3.7")
    assert precision_of_diverse > precision_of_precise + 0.3
    assert recall_of_precise > recall_of_diverse + 0.3


def test_the_captions_tell_the_parameters_of_the_laws():
    def mixture(law):
        parts = []
        for weight, mean in zip(law.weights.tolist(), law.means[:, 0].tolist(), strict=True):
            spread = f"{law.sigma:g}²" if law.sigma != 1 else "1"
            parts.append((f"{weight:g} " if weight != 1 else "") + f"N({mean:g}, {spread})")
        return " + ".join(parts)

    laws = {"P": TARGET, "misweighted": MISWEIGHTED, "diverse": DIVERSE, "precise": PRECISE}
    assert {name: mixture(law) for name, law in laws.items()} == LAWS
    assert LAWS["misweighted"] in built("thesis-3.4")[0].caption
    assert LAWS["diverse"] in built("thesis-3.6")[0].caption
