"""Every estimator draws a curve: near the truth where that is known, at both extremes, on any features."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.evaluation import estimators
from trainables.evaluation.estimators import POINTS, Compared, estimated_curves, law_curve
from trainables.evaluation.findings import EstimatedCurve
from trainables.measures.knn.neighbours import BallCounts, ball_counts


def compared(real: Tensor, *fakes: Tensor, k: int = 3) -> Compared:
    return Compared(real, torch.stack(fakes), BallCounts.stacked([ball_counts(real, f, k) for f in fakes]))


def curves(real: Tensor, *fakes: Tensor) -> list[dict[str, EstimatedCurve]]:
    found, left_out = estimated_curves(compared(real, *fakes))
    assert left_out == []
    return [{curve.name: curve for curve in own} for own in found]


def cloud(seed: int, n: int, d: int = 2) -> Tensor:
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("dimension", "names"), [(2, {"prd", "knn", "cover"}), (8, {"prd", "knn", "linear", "cover"})]
)
def test_the_same_law_fills_the_square_and_laws_apart_leave_it_empty(dimension: int, names: set[str]) -> None:
    real = cloud(0, 400, dimension)
    same, apart = curves(real, cloud(1, 400, dimension), cloud(2, 400, dimension) + 50)
    assert set(same) == set(apart) == names
    for name in names:
        one = same[name]
        assert one.precision[POINTS // 2] > 0.8, name
        assert apart[name].precision[POINTS // 2] < 0.02, name
        assert one.lam[POINTS // 2] == 1.0
        assert len(one.lam) == len(one.precision) == len(one.recall) == POINTS <= 100
        for curve in (one, apart[name]):
            assert (curve.precision >= 0).all()
            assert (curve.precision <= np.minimum(1, curve.lam) + 1e-12).all()
            np.testing.assert_allclose(curve.recall, curve.precision / curve.lam)
            assert "400 real and 400 generated samples" in curve.sentence


def test_gaussians_a_known_distance_apart() -> None:
    # α_1 is the common mass of two Gaussians whose means are δ apart: 2 Φ(-δ/2).
    delta = 1.5
    truth = math.erfc(delta / 2 / math.sqrt(2))
    shift = torch.tensor([delta, 0.0, 0.0, 0.0])
    (found,) = curves(cloud(0, 1000, 4), cloud(1, 1000, 4) + shift)
    for name, tolerance in (("prd", 0.1), ("knn", 0.1), ("linear", 0.08), ("cover", 0.3)):
        assert found[name].precision[POINTS // 2] == pytest.approx(truth, abs=tolerance), name


def test_a_dropped_mode_costs_recall_and_not_precision() -> None:
    left, right = cloud(0, 300), cloud(1, 300) + 50
    (found,) = curves(torch.cat([left, right]), cloud(2, 600))
    for name, curve in found.items():
        assert curve.precision[-1] > 0.85, name
        assert curve.recall[0] == pytest.approx(0.5, abs=0.1), name


def test_what_one_set_is_told_does_not_depend_on_the_others() -> None:
    real, sets = cloud(0, 100, 5), [cloud(seed, 100, 5) * seed for seed in (1, 2, 3)]
    together = curves(real, *sets)
    for own, fake in zip(together, sets, strict=True):
        (alone,) = curves(real, fake)
        for name, curve in own.items():
            np.testing.assert_allclose(curve.precision, alone[name].precision, atol=1e-6, err_msg=name)


def test_copies_of_one_sample_and_too_few_samples() -> None:
    (found,) = curves(torch.zeros(30, 2), torch.zeros(30, 2))
    assert set(found) == {"prd", "knn", "cover"}
    assert found["knn"].precision[POINTS // 2] > 0.9
    (found,) = curves(torch.zeros(30, 5), torch.ones(30, 5))
    assert found["linear"].precision[POINTS // 2] == 0.0
    assert estimated_curves(compared(cloud(0, 15), cloud(1, 15))) == ([[]], [])


def test_an_estimator_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(sets: Compared) -> list[EstimatedCurve]:
        raise ZeroDivisionError("no clusters")

    monkeypatch.setattr(estimators, "_by_clusters", fails)
    found, left_out = estimated_curves(compared(cloud(0, 40), cloud(1, 40)))
    assert [curve.name for curve in found[0]] == ["knn", "cover"]
    assert left_out == ["the curve by k-means is left out (ZeroDivisionError: no clusters)"]

    def dies(sets: Compared) -> list[EstimatedCurve]:
        raise RuntimeError("CUDA error: an illegal memory access")

    monkeypatch.setattr(estimators, "_by_clusters", dies)
    with pytest.raises(RuntimeError, match="CUDA error"):
        estimated_curves(compared(cloud(0, 40), cloud(1, 40)))


def test_the_curve_against_the_law_is_thinned_and_not_changed() -> None:
    lam = np.sort(np.concatenate([np.geomspace(1e-3, 1e3, 121), np.tan(np.linspace(0.01, 1.56, 100)), [1.0]]))
    alpha = np.minimum(1, lam) * 0.5
    raw = {"lambda": lam.tolist(), "precision": alpha.tolist(), "recall": (alpha / lam).tolist()}
    (found,) = law_curve({**raw, "error": (0.01 * alpha).tolist(), "source": "neighbours"})
    assert found.name == "neighbours"
    assert 60 < len(found.lam) <= 99
    assert 1.0 in found.lam
    assert set(found.lam) <= set(lam)
    np.testing.assert_allclose(found.precision, np.minimum(1, found.lam) * 0.5)
    assert found.error is not None
    assert law_curve({}) == []
