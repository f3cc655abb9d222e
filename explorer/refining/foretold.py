"""What theory says of a model at every budget, off its PR curve as it is, beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.results.predicted import LAWFUL, can_predict, predict
from explorer.store.schema import TRADE_OFFS

if TYPE_CHECKING:
    from torch import Tensor

    from explorer.refining.subject import Subject

__all__ = ["Foretold", "foretold"]

LAW = "the law of the data"
NEIGHBOURS = "a classifier of nearest neighbours"


@dataclass(frozen=True)
class Foretold:
    """Metrics at budgets, by K and name, and how the curve is known that they come from."""

    source: str
    metrics: Mapping[float, Mapping[str, float]]

    def at(self, budget: float) -> Mapping[str, float]:
        """What is foretold of a budget."""
        return self.metrics.get(budget, {})


def foretold(
    subject: Subject, budgets: Sequence[float], measured: Mapping[str, float], points: Tensor
) -> Foretold | None:
    """The metrics that follow from the curve of the model as it is, at every budget; None where theory is silent.

    ``measured`` are its metrics and ``points`` (n, *shape) its samples: where the law of the data is not known, the
    curve is that of a classifier of nearest neighbours among 1,000 of them. Theory knows the law of optimal budgeted
    rejection by the exact ratio alone (``explorer.results.predicted``).
    """
    names = [name for name in measured if can_predict(name)]
    if subject.method.name != LAWFUL or not names:
        return None
    source, alphas = (LAW, np.asarray(subject.alphas)) if subject.alphas else (NEIGHBOURS, None)
    if alphas is None:
        alphas = _estimated(subject, points)
    found: dict[float, dict[str, float]] = {budget: {} for budget in budgets}
    for name in names:
        values = predict(name, budgets, alphas[None], [measured[name]])[0]
        for budget, value in zip(budgets, values.tolist(), strict=True):
            if np.isfinite(value):
                found[budget][name] = value
    return Foretold(source, found) if any(found.values()) else None


def _estimated(subject: Subject, points: Tensor) -> NDArray[np.float64]:
    """(121,) α_λ at ``TRADE_OFFS``: at most λ, and beyond the last one that is known as it is there.

    A curve is concave and rises; its estimate need not, and then a larger budget would seem to cost precision. So the
    least such curve above the estimate is taken.
    """
    from trainables.evaluation.estimators import SAMPLES, by_neighbours

    real = subject.real.features[:SAMPLES]
    fake = subject.real.embed(points[:SAMPLES].to(real.device)).values
    (curve,) = by_neighbours(real, fake[None])
    found = np.minimum(np.interp(TRADE_OFFS, curve.lam, curve.precision), TRADE_OFFS)
    return np.maximum.accumulate(_concave(np.array([0.0, *TRADE_OFFS]), np.array([0.0, *found]))[1:])


def _concave(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) the least concave function above points of rising x, at these. O(n)."""
    corners = [0]
    for i in range(1, len(x)):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (y[b] - y[a]) * (x[i] - x[b]) > (y[i] - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    return np.interp(x, x[corners], y[corners])
