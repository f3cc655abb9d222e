"""A precision-recall curve as data: points (λ, α_λ, β_λ) and what can be read off them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PRCurve", "f_score"]

Array = NDArray[np.float64]


def f_score(precision: Any, recall: Any, s: float) -> Array:
    """F_s = (1+s²) α β / (s² α + β): large s weighs recall, small s precision; 0 where both are 0.

    F_8 is the recall summary, F_{1/8} the precision summary (several public codes swap the two).

    Reference: Sajjadi et al. 2018, §4.3.
    """
    if not s > 0:
        raise ValueError(f"the weight s of F_s must be > 0, got {s:g}; use 8 for recall or 1/8 for precision")
    alpha, beta = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    below = s**2 * alpha + beta
    return np.asarray((1 + s**2) * alpha * beta / np.where(below > 0, below, 1.0))


@dataclass(frozen=True, eq=False)
class PRCurve:
    """Points of the precision-recall curve: α_λ = ∫min(λp, q) and β_λ = α_λ/λ.

    Attributes:
        lam: λ, shape (L,), rising, in [0, ∞].
        precision: α_λ, shape (…, L). At λ = ∞ it is Q(supp P).
        recall: β_λ, shape (…, L). At λ = 0 it is P(supp Q).

    Reference: Simon et al. 2019, Theorem 3; thesis, Definition 3.2.3 and Theorem 4.2.4.
    """

    lam: Array
    precision: Array
    recall: Array

    def auc(self) -> Array:
        """The area below the points, joined by chords and closed to both axes, shape (…).

        The curve in polar form has the area ½∫β²dλ; between neighbours this is the triangle with the
        origin, ½(α_{i+1} β_i - α_i β_{i+1}). Beyond the ends it is closed by straight lines to the axes,
        which cannot exceed the true curve. For the exact area of a known law use ``RatioLaw.auc``.
        """
        alpha, beta = self.precision, self.recall
        fans = alpha[..., 1:] * beta[..., :-1] - alpha[..., :-1] * beta[..., 1:]
        ends = alpha[..., 0] * beta[..., 0] + alpha[..., -1] * beta[..., -1]
        return np.asarray(0.5 * (fans.sum(axis=-1) + ends))

    def f_max(self, s: float) -> Array:
        """The best F_s among the points, shape (…)."""
        return np.asarray(f_score(self.precision, self.recall, s).max(axis=-1))

    def pr_divergence(self) -> Array:
        """D_λ(P‖Q) = min(1, λ) - α_λ, shape (…, L) ((4.8) of the thesis, corrected)."""
        return np.asarray(np.minimum(1.0, self.lam) - self.precision)

    def swapped(self) -> PRCurve:
        """The curve of (Q, P): precision and recall change places and λ becomes 1/λ."""
        with np.errstate(divide="ignore"):
            return PRCurve(1.0 / self.lam[::-1], self.recall[..., ::-1], self.precision[..., ::-1])

    def stretched(self, budget: float) -> PRCurve:
        """The curve after optimal rejection at budget K: α'_{Kλ} = min(1, K α_λ), β' = α'/λ' (thesis, 6.2.3).

        The refined curve is known at the trade-offs Kλ: the grid moves with it, nothing is interpolated.
        """
        if not budget >= 1:
            raise ValueError(f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")
        precision = np.minimum(1.0, budget * self.precision)
        positive = self.precision > 0
        scale = np.where(positive, precision / np.where(positive, budget * self.precision, 1.0), 1.0)
        return PRCurve(budget * self.lam, precision, self.recall * scale)
