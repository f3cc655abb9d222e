"""What theory says a reading at budget K should be, off the PR curve of the model as it is.

Optimal budgeted rejection keeps a draw x with probability a(x) = min(c r(x), 1), r = p/q exact and c such that one in K
is kept. The law of what is kept has density K a q, and its PR curve is the old one stretched K-fold in precision:

    α'_λ = ∫ min(λp, K a q) = min(1, K α_{λ/K}),    β'_λ = α'_λ / λ    (Vérine, thesis, ch. 6).

So a point (α, β) of the old curve goes to (Kα, β) until its precision is 1. That is the law of the exact ratio: a
critic's ratio keeps other samples, and what was measured then lies below. Precision and recall by neighbours are no
points of the curve at a λ that is known; each is read here at the λ at which the curve of the model as it is has the
value that was measured at K = 1, so that they agree there. What differs later is not the critic's alone: neighbours do
not stay at that λ, and of two samples of one law they say less than 1. A value beyond all of the curve is read at its
end: then they differ at K = 1 already, by what the curve lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.store.schema import TRADE_OFFS

__all__ = ["LAWFUL", "alpha_at", "can_predict", "predict", "refined"]

Numbers = NDArray[np.float64]

LAWFUL: Final = "obrs"
"""The refinement whose law this is."""

_LAMBDAS = np.array(TRADE_OFFS)
_KNOTS = np.array([0.0, *TRADE_OFFS])
"""α_0 = 0: below the least λ a curve goes there in a straight line."""
_MOST = np.minimum(1.0, _LAMBDAS)
"""α of a law against itself."""

_WEIGHTS = {".f8": 8.0, ".f1_8": 1 / 8}
_AREA = ".auc"


def can_predict(name: str) -> bool:
    """Whether a metric follows from the curve: precision, recall, and the largest F and the area of some curve."""
    return name in ("precision", "recall") or name.endswith((*_WEIGHTS, _AREA))


def refined(alphas: ArrayLike, budget: float) -> Numbers:
    """α'_λ = min(1, K α_{λ/K}) at ``TRADE_OFFS`` of curves (…, 121); between two λ, α is taken as a line. O(size)."""
    curves = _with_zero(np.asarray(alphas, dtype=np.float64))
    # The same places of every curve: two neighbours and how far between them.
    places = _LAMBDAS / budget
    right = np.clip(np.searchsorted(_KNOTS, places), 1, len(_KNOTS) - 1)
    share = (places - _KNOTS[right - 1]) / (_KNOTS[right] - _KNOTS[right - 1])
    between = curves[..., right - 1] * (1 - share) + curves[..., right] * share
    return np.asarray(np.minimum(1.0, budget * between))


def alpha_at(alphas: Sequence[float] | Numbers, lam: ArrayLike, budget: ArrayLike = 1.0) -> Numbers:
    """α'_λ of one curve (121,) at any λ: beyond the last one that is known it stays as it is there."""
    grown = np.asarray(budget, dtype=np.float64)
    known = np.interp(np.asarray(lam) / grown, _KNOTS, np.concatenate(([0.0], alphas)))
    return np.asarray(np.minimum(1.0, grown * known))


def predict(name: str, budgets: Sequence[float] | Numbers, alphas: ArrayLike, measured: ArrayLike) -> Numbers:
    """(n, b) a metric at budgets K, from curves ``alphas`` (n, 121) and what was ``measured`` (n,) of it at K = 1.

    NaN where the curve or the measure is not known, and of a metric that does not follow from the curve. O(n b).
    """
    curves = np.minimum(np.asarray(alphas, dtype=np.float64), _MOST)  # an estimate may lie above
    values = np.asarray(measured, dtype=np.float64)
    grown = np.asarray(budgets, dtype=np.float64)
    found = np.full((len(values), len(grown)), np.nan)
    if name in ("precision", "recall"):
        for row, (curve, value) in enumerate(zip(curves, values, strict=True)):
            if np.isfinite(curve).all() and np.isfinite(value):
                lam = _lambda_of(name, curve, float(value))
                found[row] = alpha_at(curve, lam, grown) / (1.0 if name == "precision" else lam)
    elif can_predict(name):
        for place, budget in enumerate(grown):
            found[:, place] = _summary(name, refined(curves, float(budget)))
    return found


def _lambda_of(name: str, curve: Numbers, value: float) -> float:
    """The λ at which α, or β = α/λ, was the value; the end of the curve where that has none so great.

    Of several the greatest for α, as precision asks how far q lies where p is at all, and the least for β. Where α is a
    line in λ, β is one in 1/λ.
    """
    if name == "precision":
        return float(np.interp(value, np.maximum.accumulate(curve), _LAMBDAS))
    falling = np.minimum.accumulate(curve / _LAMBDAS)
    return float(1 / np.interp(value, falling[::-1], 1 / _LAMBDAS[::-1]))


def _summary(name: str, curves: Numbers) -> Numbers:
    for ending, weight in _WEIGHTS.items():
        if name.endswith(ending):
            return _largest_f(curves, weight)
    return _area(curves)


def _largest_f(curves: Numbers, weight: float) -> Numbers:
    """max over λ of F_s = (1 + s²) αβ / (s²α + β) with β = α/λ, which is (1 + s²) α / (s²λ + 1)."""
    square = weight**2
    return np.asarray(((1 + square) * curves / (square * _LAMBDAS + 1)).max(axis=-1))


def _area(curves: Numbers) -> Numbers:
    """½ ∫ α²/λ² dλ: between two λ by the trapezium in log λ, beyond them with β, then α, as at the end."""
    inside = np.trapezoid(curves**2 / _LAMBDAS, np.log(_LAMBDAS), axis=-1)
    ends = curves[..., 0] ** 2 / _LAMBDAS[0] + curves[..., -1] ** 2 / _LAMBDAS[-1]
    return np.asarray(0.5 * (inside + ends))


def _with_zero(curves: Numbers) -> Numbers:
    return np.concatenate([np.zeros((*curves.shape[:-1], 1)), curves], axis=-1)
