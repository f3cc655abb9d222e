"""Precision-recall curves from a classifier that tells real from fake.

Simon, Webster & Rabin, *Revisiting Precision and Recall Definition for Generative Model Evaluation*, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.measures.arrays import as_features, check_pair
from trainables.measures.learners import learner_named
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.grid import equiangular_grid

__all__ = ["HeldOut", "choose_thresholds", "classifier_scores"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of samples the classifier has not seen, high for real: ``real`` (n,), ``fake`` (m,).

    Each set is halved. Thresholds are chosen on one half and the curve reported on the other, then the halves change
    places and the two curves are averaged: a minimum taken and reported on the same samples is biased down.
    """

    real: _Floats
    fake: _Floats

    def curve(self, points: int = 1001) -> PRCurve:
        """α_λ = λ P(f < t_λ) + Q(f ≥ t_λ), capped at min(1, λ), on an equiangular grid."""
        lam = equiangular_grid(points).numpy()
        alphas = []
        for half in (0, 1):
            edges = choose_thresholds(self.real[half::2], self.fake[half::2], lam)
            below = np.searchsorted(np.sort(self.real[1 - half :: 2]), edges) / len(self.real[1 - half :: 2])
            above = 1 - np.searchsorted(np.sort(self.fake[1 - half :: 2]), edges) / len(
                self.fake[1 - half :: 2]
            )
            alphas.append(_capped(lam, below, above))
        alpha = np.mean(alphas, axis=0)
        return PRCurve(lam, alpha, alpha / lam)


def choose_thresholds(real: _Floats, fake: _Floats, lam: _Floats) -> _Floats:
    """arg min_t λ P(f < t) + Q(f ≥ t) for every λ (L,), over all thresholds that part the scores → (L,).

    One sort and one cumulative sum; the minimum over thresholds for all λ is the lower hull of the points
    (P(f < t), Q(f ≥ t)), read off by its slopes.
    """
    scores = np.concatenate([real, fake])
    distinct, at = np.unique(scores, return_inverse=True)
    below_real = np.append(0, np.bincount(at[: len(real)], minlength=len(distinct)).cumsum()) / len(real)
    from_fake = 1 - np.append(0, np.bincount(at[len(real) :], minlength=len(distinct)).cumsum()) / len(fake)
    edges = np.append(distinct, np.inf)  # t = distinct[i] leaves i values below
    edges[0] = -np.inf
    hull = _lower_hull(below_real, from_fake)
    x, y = below_real[hull], from_fake[hull]
    slopes = np.diff(y) / np.diff(x)  # rising; λ x + y is least where the slope passes -λ
    return np.asarray(edges[hull[np.searchsorted(slopes, -lam)]])


def classifier_scores(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    classifier: Any = "ensemble",
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> HeldOut:
    """Train on a random half of ``real`` (N, d) and ``fake`` (M, d); score the other half.

    ``classifier`` is a name of ``learners.py``, by default the ensemble of linear classifiers, or any classifier of
    scikit-learn (``decision_function`` or ``predict_proba``), cloned before fitting. Classes of the latter are not
    balanced: the curve does not depend on the scale of the scores, so it loses sharpness, not validity.
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    if min(len(x), len(y)) < 8:
        raise ValueError(
            f"classifier curves need at least 8 samples in each set (4 to train, 4 to test), got {len(x)} real and "
            f"{len(y)} fake; use more samples"
        )
    rng = np.random.default_rng(seed)
    order_x, order_y = (torch.from_numpy(rng.permutation(len(s))).to(s.device) for s in (x, y))
    half_x, half_y = len(x) // 2, len(y) // 2
    train = torch.cat([x[order_x[:half_x]], y[order_y[:half_y]]])
    labels = torch.cat([torch.ones(half_x), torch.zeros(half_y)]).to(train.device)
    tests = (x[order_x[half_x:]], y[order_y[half_y:]])
    if isinstance(classifier, str):
        scorer = learner_named(classifier)(train, labels, seed, progress)
        scores = [scorer(part).cpu().numpy().astype(np.float64) for part in tests]
    else:
        scores = _sklearn_scores(classifier, train, labels, tests)
    return HeldOut(*scores)


def _sklearn_scores(
    classifier: Any, train: Tensor, labels: Tensor, tests: tuple[Tensor, Tensor]
) -> list[_Floats]:
    from sklearn.base import clone

    model = clone(classifier).fit(train.cpu().numpy(), labels.cpu().numpy().astype(int))
    if hasattr(model, "decision_function"):
        return [np.asarray(model.decision_function(part.cpu().numpy()), dtype=np.float64) for part in tests]
    return [np.asarray(model.predict_proba(part.cpu().numpy())[:, 1], dtype=np.float64) for part in tests]


def _capped(lam: _Floats, below: _Floats, above: _Floats) -> _Floats:
    """λ P(f < t) + Q(f ≥ t) cannot exceed the trivial thresholds' min(1, λ) (Simon, Theorem 5)."""
    return np.minimum(lam * below + above, np.minimum(1.0, lam))


def _lower_hull(x: _Floats, y: _Floats) -> NDArray[np.int64]:
    """Indices of the lower convex hull of points with rising x (Andrew's monotone chain)."""
    hull: list[int] = []
    for i in range(len(x)):
        while hull and x[hull[-1]] == x[i] and y[hull[-1]] >= y[i]:
            hull.pop()
        while len(hull) >= 2:
            a, b = hull[-2], hull[-1]
            if (y[b] - y[a]) * (x[i] - x[a]) < (y[i] - y[a]) * (x[b] - x[a]):
                break
            hull.pop()
        if not hull or x[i] > x[hull[-1]]:
            hull.append(i)
    return np.array(hull)
