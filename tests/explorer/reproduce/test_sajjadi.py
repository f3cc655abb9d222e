"""Classes dropped and added: curves beside their true rectangles, and their summaries, from a study made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from torch import Tensor

from explorer.reproduce import classes, sajjadi
from explorer.reproduce.record import Panel
from trainables.measures import NeighbourScores
from trainables.precision_recall import PRCurve, equiangular_grid
from trainables.studies.class_dropping import Dropping, true_corner


def _rectangle(precision: float, recall: float) -> PRCurve:
    lam = equiangular_grid(101).numpy()
    alpha = np.minimum(precision, lam * recall)
    return PRCurve(lam, alpha, alpha / lam)


def _study(images: Tensor, labels: Tensor, cache: Path, **sizes: int) -> tuple[list[Dropping], float]:
    """Perfect curves for one to ten classes."""
    assert cache.name == "classifiers"
    assert sizes == {"samples": classes.SAMPLES, "training": classes.TRAINING, "epochs": classes.EPOCHS}
    scores = NeighbourScores(1.0, 1.0, 1.0, 1.0)
    curves = {i: _rectangle(*true_corner(i)) for i in range(1, 11)}
    return [Dropping(i, curve, curve, scores, abs(i - 5.0), float(i)) for i, curve in curves.items()], 0.87


@pytest.fixture
def panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sequence[Panel]:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.setattr("trainables.sources.fashion_mnist.fashion_mnist", lambda part: (None, None))
    monkeypatch.setattr("trainables.studies.class_dropping.class_dropping", _study)
    monkeypatch.setattr(sajjadi, "fashion", classes.fashion.__wrapped__)
    return sajjadi.class_dropping()


def test_both_kinds_of_curve_are_drawn_over_their_rectangles(panels: Sequence[Panel]) -> None:
    for panel in panels[:2]:
        drawn = {t.name: t for t in panel.figure.data}
        assert list(drawn) == [f"{kind}i = {i}" for kind in ("", "true, ") for i in sajjadi.SHOWN]
        assert "accuracy 0.87" in panel.caption
        for i in sajjadi.SHOWN:
            truth = drawn[f"true, i = {i}"]
            assert truth.line.dash == "dash"
            corner = (min(1, 5 / i), min(1, i / 5))
            assert (truth.x[1], truth.y[1]) == pytest.approx(corner, abs=1e-5)
            curve = drawn[f"i = {i}"]
            assert max(curve.x) == pytest.approx(truth.x[1], abs=1e-3)
            assert max(curve.y) == pytest.approx(truth.y[1], abs=1e-3)


def test_summaries_of_perfect_curves_lie_on_the_true_ones(panels: Sequence[Panel]) -> None:
    drawn = {t.name: t for t in panels[2].figure.data}
    truth = drawn.pop("true")
    assert truth.line.dash == "dash"
    assert len(drawn) == 2
    for trace in drawn.values():
        assert len(trace.x) == 10
        np.testing.assert_allclose(trace.x, truth.x, atol=0.02)
        np.testing.assert_allclose(trace.y, truth.y, atol=0.02)
    assert list(truth.y[:5]) == sorted(truth.y[:5])  # recall rises to five classes, precision falls after
    assert list(truth.x[5:]) == sorted(truth.x[5:], reverse=True)
    assert "i = 5: 1.00, 1.00" in panels[2].caption
