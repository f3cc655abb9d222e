"""Mode measures for labelled data: which classes a model makes, how often, and how well.

Per-class precision and recall is the fairness reading of the thesis (§7.2.1): a model may score well on average by
serving the frequent classes only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trainables.measures.knn.neighbours import BallCounts

__all__ = ["ClassScores", "class_scores", "normalised_entropy", "per_class_scores"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassScores:
    """How the classes of the fakes compare with those of the reals.

    - ``covered``: real classes that hold at least ``least`` of their fair number of fakes;
    - ``classes``: classes present among the reals;
    - ``distance``: total variation ½Σ|p_c - q_c| of the two class histograms, in [0, 1];
    - ``real_share``, ``fake_share`` (C,): the histograms.
    """

    covered: int
    classes: int
    distance: float
    real_share: _Floats
    fake_share: _Floats


def class_scores(
    real_labels: NDArray[np.integer], fake_labels: NDArray[np.integer], least: float = 0.0
) -> ClassScores:
    """Classes covered and distance of class histograms from integer labels (N,), (M,).

    A class counts as covered when it holds a fake, and more than ``least`` times its share among the reals.
    """
    p, q = _share(real_labels, fake_labels)
    present = p > 0
    covered = int((present & (q > 0) & (q > least * p)).sum())
    return ClassScores(covered, int(present.sum()), float(0.5 * np.abs(p - q).sum()), p, q)


def normalised_entropy(share: _Floats, classes: int) -> float:
    """-Σ q_c log q_c / log C of a histogram (≤ C,) that adds up to 1, in [0, 1]; 1 where there is but one class."""
    if classes < 2:
        return 1.0
    held = share[share > 0]
    return float(min(1.0, max(0.0, -(held * np.log(held)).sum() / np.log(classes))))


def per_class_scores(
    counts: BallCounts, real_labels: NDArray[np.integer], fake_labels: NDArray[np.integer]
) -> tuple[_Floats, _Floats]:
    """Precision of the fakes of each class and recall of the reals of each class → (C,), (C,); NaN where none is.

    The overall precision is the mean of the first weighted with the fakes' class shares, the overall recall that
    of the second weighted with the reals'.
    """
    inside = (counts.real_balls_around_fake > 0).cpu().numpy()
    recalled = (counts.fake_balls_around_real > 0).cpu().numpy()
    if len(inside) != len(fake_labels) or len(recalled) != len(real_labels):
        raise ValueError(
            f"one label per sample is needed, got {len(real_labels)} and {len(fake_labels)} labels for "
            f"{len(recalled)} real and {len(inside)} fake samples"
        )
    size = 1 + max(int(np.max(real_labels)), int(np.max(fake_labels)))
    return _class_mean(inside, fake_labels, size), _class_mean(recalled, real_labels, size)


def _class_mean(values: NDArray[np.bool_], labels: NDArray[np.integer], size: int) -> _Floats:
    number = np.bincount(labels, minlength=size).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(labels, weights=values, minlength=size) / number)


def _share(real_labels: NDArray[np.integer], fake_labels: NDArray[np.integer]) -> tuple[_Floats, _Floats]:
    if min(len(real_labels), len(fake_labels)) == 0:
        raise ValueError("class histograms need labels on both sides, got an empty set")
    size = 1 + max(int(np.max(real_labels)), int(np.max(fake_labels)))
    p, q = (np.bincount(labels, minlength=size) / len(labels) for labels in (real_labels, fake_labels))
    return p, q
