"""Divergence frontiers (Djolonga et al. 2020): how close a third law R can be to P and to Q at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.precision_recall.exact import as_law
from trainables.precision_recall.renyi import log_between, renyi

__all__ = ["Frontier", "Kind", "frontier_discrete", "frontier_from_log_ratio"]

Kind = Literal["exclusive", "inclusive"]
BLOCK = 4_000_000
"""Numbers held at once when laws with many atoms are walked along."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """Points of a divergence frontier; smaller is better on both axes.

    Attributes:
        order: α of the Rényi divergence.
        kind: ``exclusive`` (R in the intersection, D_α(R‖·)) or ``inclusive`` (R over the union, D_α(·‖R)).
        tilt: t of each point, shape (L,): R is near P for small t and near Q for large t.
        to_model: D_α(R‖Q), or D_α(Q‖R), shape (L,): the loss of precision if exclusive, of recall if inclusive.
        to_real: D_α(R‖P), or D_α(P‖R), shape (L,): the loss of recall if exclusive, of precision if inclusive.
    """

    order: float
    kind: Kind
    tilt: NDArray[np.float64]
    to_model: NDArray[np.float64]
    to_real: NDArray[np.float64]

    def scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(e^{-to_model}, e^{-to_real}) in [0, 1]²: precision and recall when exclusive with α = ∞.

        There the points are those of the PR curve at λ = t, but for its two straight ends: where λr stays
        on one side of 1, R is P or Q itself, and the point is the corner that dominates the straight piece.
        """
        return np.exp(-self.to_model), np.exp(-self.to_real)

    def precision_and_recall(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(e^{-loss of precision}, e^{-loss of recall}), shapes (L,): which divergence is which depends on the kind."""
        to_model, to_real = self.scores()
        return (to_model, to_real) if self.kind == "exclusive" else (to_real, to_model)

    def area(self) -> float:
        """The area of the pairs of precision and recall that a point of the frontier is no worse than, by chords.

        1 for equal laws. For laws that share no mass 0 if exclusive and α ≥ 1, ½ if inclusive, whatever the order:
        mixtures (1-π)P + πQ lie on the diagonal precision + recall = 1. Tilts should reach from R = P to R = Q, as
        ``walk`` of ``trainables/measures/frontier.py`` does: what lies beyond the last points counts as level.
        """
        precision, recall = self.precision_and_recall()
        order = np.lexsort((-precision, recall))
        rising = recall[order]
        # No point that another is better than: level pieces stay level where rounding has bent them.
        best = np.maximum.accumulate(precision[order][::-1])[::-1]
        return float(np.trapezoid(best, rising) + rising[0] * best[0])


def frontier_discrete(p: Any, q: Any, order: float, kind: Kind, tilts: Any) -> Frontier:
    """The frontier of two probability vectors p (real) and q (model), for any order α in [0, ∞].

    R ∝ (π q^s + (1-π) p^s)^{1/s} with s = 1-α (exclusive) or s = α (inclusive) minimises the scalarised
    objective with D̂ = e^{(α-1)D_α}/(α-1); see ``log_between`` for how the tilt sets π.

    Reference: Djolonga et al. 2020, Propositions 1 and 2.
    """
    law_p, law_q = as_law(p, "p"), as_law(q, "q")
    if law_p.shape != law_q.shape:
        raise ValueError(f"p and q must have the same number of entries, got {len(law_p)} and {len(law_q)}")
    tilt = _check(tilts, order, kind)
    log_p, log_q = law_p.log(), law_q.log()
    to_model = _walk(log_p, log_q, log_q, order, kind, tilt)
    to_real = _walk(log_p, log_q, log_p, order, kind, tilt)
    return Frontier(order, kind, tilt.numpy(), to_model, to_real)


def frontier_from_log_ratio(
    log_ratio_at_real: Tensor, log_ratio_at_model: Tensor, order: float, kind: Kind, tilts: Any
) -> Frontier:
    """The frontier from log p/q at samples: divergences to Q over samples of Q, to P over samples of P.

    R/q is a function of r alone, so D(R‖Q) needs expectations under Q only; likewise R/p and P. Each
    expectation is a sample mean inside a logarithm: consistent, but biased for few samples, and at α = ∞
    a maximum over samples, which is optimistic. P and Q must have the same support.

    Args:
        log_ratio_at_real: shape (N,), samples of P.
        log_ratio_at_model: shape (M,), samples of Q.
        order: α in [0, ∞].
        kind: ``exclusive`` or ``inclusive``.
        tilts: t in (0, ∞), shape (L,).

    Reference: Djolonga et al. 2020, Proposition 3.
    """
    tilt = _check(tilts, order, kind)
    at_real, at_model = log_ratio_at_real.detach().double(), log_ratio_at_model.detach().double()
    if not (bool(at_real.isfinite().all()) and bool(at_model.isfinite().all())):
        raise ValueError("log-ratios must be finite: frontiers from ratios need P and Q of one support")
    # An empirical law of n samples has masses 1/n: with q = 1/n there, p = r/n, and the other way round.
    even_q = torch.full_like(at_model, -float(np.log(at_model.numel())))
    even_p = torch.full_like(at_real, -float(np.log(at_real.numel())))
    to_model = _walk(even_q + at_model, even_q, even_q, order, kind, tilt)
    to_real = _walk(even_p, even_p - at_real, even_p, order, kind, tilt)
    return Frontier(order, kind, tilt.numpy(), to_model, to_real)


def _walk(
    log_p: Tensor, log_q: Tensor, target: Tensor, order: float, kind: Kind, tilt: Tensor
) -> NDArray[np.float64]:
    """D_α(R‖target), or D_α(target‖R), for R between p and q, a block of tilts at a time; shape (L,)."""
    exponent = 1.0 - order if kind == "exclusive" else order
    values = []
    for block in tilt.to(log_p.device).split(max(1, BLOCK // log_p.numel())):
        log_r = log_between(log_p, log_q, exponent, block)
        if kind == "exclusive":
            values.append(renyi(log_r, target.expand_as(log_r), order))
        else:
            values.append(renyi(target.expand_as(log_r), log_r, order))
    return torch.cat(values).clamp(min=0.0).cpu().numpy()


def _check(tilts: Any, order: float, kind: str) -> Tensor:
    tilt = torch.as_tensor(tilts, dtype=torch.float64)
    if tilt.ndim != 1 or not bool(((tilt > 0) & tilt.isfinite()).all()):
        raise ValueError("tilts must be a list of numbers in (0, ∞); use equiangular_grid(n)")
    if not order >= 0:
        raise ValueError(f"the order α of a frontier must be in [0, ∞], got {order:g}")
    if kind not in ("exclusive", "inclusive"):
        raise ValueError(f"a frontier is 'exclusive' or 'inclusive', got {kind!r}")
    return tilt
