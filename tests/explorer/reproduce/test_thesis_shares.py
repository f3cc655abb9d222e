"""α_λ and β_λ as shares of an area: the red or blue area has the mass the title tells."""

from __future__ import annotations

import re

import numpy as np
import pytest

from explorer.reproduce.thesis_parts import X, density_of
from tests.explorer.reproduce.built import built, traces
from trainables.studies.gaussian_fit import TARGET
from trainables.studies.line_models import DIVERSE, PRECISE

FIGURES = {"thesis-3.8": ("min(λp, p̂)", "α"), "thesis-3.9": ("min(p, p̂/λ)", "β")}


def _shaded(name: str) -> list[np.ndarray]:
    return [np.asarray(t.y) for t in built(name)[0].figure.data if t.name == FIGURES[name][0]]


@pytest.mark.parametrize("name", FIGURES)
def test_titles_tell_the_share_of_the_shaded_area(name):
    told = [re.search(r" = (0\.\d+)$", note.text) for note in built(name)[0].figure.layout.annotations[1:]]
    for match, shaded in zip(told, _shaded(name), strict=True):
        assert match is not None
        assert float(match.group(1)) == pytest.approx(np.trapezoid(shaded, X), abs=2e-3)


def test_the_areas_are_those_of_the_definition():
    p = density_of(TARGET)
    q = density_of(DIVERSE)
    for lam, shaded in zip((1.0, 10.0), _shaded("thesis-3.8"), strict=True):
        np.testing.assert_allclose(shaded, np.minimum(lam * p, q), atol=1e-6)
    q = density_of(PRECISE)
    for lam, shaded in zip((0.1, 1.0), _shaded("thesis-3.9"), strict=True):
        np.testing.assert_allclose(shaded, np.minimum(p, q / lam), atol=1e-6)


@pytest.mark.parametrize("name", FIGURES)
def test_the_lines_over_lambda_meet_at_one_and_stay_below_those_of_equal_laws(name):
    drawn = traces(name)
    alpha, beta = drawn["α<sub>λ</sub>"], drawn["β<sub>λ</sub>"]
    lam = np.asarray(alpha.x)
    np.testing.assert_allclose(np.asarray(alpha.y), lam * np.asarray(beta.y), atol=2e-4)
    assert (np.asarray(alpha.y) <= np.minimum(1, lam) + 2e-5).all()
    assert (np.asarray(beta.y) <= np.minimum(1, 1 / lam) + 2e-5).all()
    symbol = FIGURES[name][1]
    line = alpha if symbol == "α" else beta
    at = {"α": (1.0, 10.0), "β": (0.1, 1.0)}[symbol]
    told = [note.text.rsplit(" ", 1)[1] for note in built(name)[0].figure.layout.annotations[1:]]
    for lam_at, number in zip(at, told, strict=True):
        assert float(np.interp(np.log(lam_at), np.log(lam), line.y)) == pytest.approx(float(number), abs=1e-3)


def test_recall_of_the_diverse_and_precision_of_the_precise_are_close_to_the_best():
    """The thesis: "the Recall in the high diversity example and the Precision in the high quality examples"."""
    diverse, precise = traces("thesis-3.8"), traces("thesis-3.9")
    lam = np.asarray(diverse["β<sub>λ</sub>"].x)
    low, high = lam <= 0.25, lam >= 4
    assert np.asarray(diverse["β<sub>λ</sub>"].y)[low].min() > 0.99
    assert np.asarray(precise["α<sub>λ</sub>"].y)[high].min() > 0.99
    assert np.asarray(diverse["α<sub>λ</sub>"].y)[high].min() < 0.7
    assert np.asarray(precise["β<sub>λ</sub>"].y)[low].max() < 0.6
