"""Classifiers that tell real from fake, by name: each is trained on some samples and scores others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from trainables.measures.arrays import column_mean
from trainables.measures.linear import LinearEnsemble
from trainables.measures.perceptrons import PerceptronEnsemble
from trainables.measures.standard import Standard

__all__ = ["LEARNERS", "Learner", "Progress", "Scorer", "learner_named"]

Progress = Callable[[float], None] | None
Scorer = Callable[[Tensor], Tensor]
"""Scores of samples (n, d) → (n,), high for the class labelled 1."""
Learner = Callable[[Tensor, Tensor, int, Progress], Scorer]
"""What makes a scorer of samples (N, d), their labels (N,) in {0, 1}, a seed, and who hears how far it is."""


def _ensemble(x: Tensor, labels: Tensor, seed: int, progress: Progress) -> Scorer:
    """Twelve logistic regressions that differ by penalty and weights of samples. About 60 steps of O(12·N·d)."""
    return LinearEnsemble.fit(x, labels, seed=seed, progress=progress).scores


def _logistic(x: Tensor, labels: Tensor, seed: int, progress: Progress) -> Scorer:
    """One logistic regression of scikit-learn, C = 1, on standardised features. At most 1,000 steps of O(N·d)."""
    from sklearn.linear_model import LogisticRegression

    standard = Standard.of(x)
    fitted = LogisticRegression(class_weight="balanced", max_iter=1000).fit(
        standard(x).cpu().numpy(), labels.cpu().numpy().astype(int)
    )
    return lambda y: torch.from_numpy(fitted.decision_function(standard(y).cpu().numpy()))


def _mlp(x: Tensor, labels: Tensor, seed: int, progress: Progress) -> Scorer:
    """Four perceptrons of two hidden layers, stopped early. At most 60 epochs of O(N·4·128·(d + 128))."""
    return PerceptronEnsemble.fit(x, labels, seed=seed, progress=progress).scores


def _knn(x: Tensor, labels: Tensor, seed: int, progress: Progress) -> Scorer:
    """The share of reals among the √N nearest, in the features as they are. O(n·N·d) for n scores.

    Its classes are not balanced: a share rises with p/q whatever N and M are, and curves do not look at its scale.
    """
    from sklearn.neighbors import KNeighborsClassifier

    centre = column_mean(x)

    def moved(y: Tensor) -> Any:  # far from the origin products would lose the differences
        return (y.double() - centre).cpu().numpy()

    fitted = KNeighborsClassifier(max(3, round(math.sqrt(len(x))))).fit(
        moved(x), labels.cpu().numpy().astype(int)
    )
    return lambda y: torch.from_numpy(fitted.predict_proba(moved(y))[:, 1])


LEARNERS: dict[str, Learner] = {"ensemble": _ensemble, "logistic": _logistic, "mlp": _mlp, "knn": _knn}
"""The first is the one of old."""


def learner_named(name: str) -> Learner:
    """The classifier called so, or raise."""
    if name not in LEARNERS:
        raise ValueError(f"classifier must be one of {', '.join(LEARNERS)}, got '{name}'")
    return LEARNERS[name]
