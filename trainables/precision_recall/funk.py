"""The Funk metric of the probability simplex: the PR curve as lengths of segments.

Reference: Djolonga et al. 2020, §5, Definition 5 and Proposition 5; Papadopoulos & Yamada 2013.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["boundary_point", "funk_metric"]


def boundary_point(start: Tensor, through: Tensor) -> Tensor:
    """∂_Δ(a, b): where the ray from a through b leaves the simplex, shapes (…, n) → (…, n), for a ≠ b.

    On the ray a + t(b - a) entry i vanishes at t = a_i/(a_i - b_i) if it falls; the first to vanish ends it.
    """
    falls = start > through
    if not bool(falls.any(dim=-1).all()):
        raise ValueError("a ray through the simplex needs two laws that differ; got the same twice")
    length = torch.where(falls, start / torch.where(falls, start - through, 1.0), torch.inf).amin(
        -1, keepdim=True
    )
    return (start + length * (through - start)).clamp(min=0.0)


def funk_metric(first: Tensor, second: Tensor) -> Tensor:
    """F(a, b) = log(‖a - ∂_Δ(a, b)‖/‖b - ∂_Δ(a, b)‖), shapes (…, n) → (…), for a ≠ b.

    It equals D_∞(a‖b) = log max_i a_i/b_i. So for a law r the largest precision and recall of Sajjadi's definition
    are the ratios of lengths e^{-F(r, q)} and e^{-F(r, p)}.
    """
    edge = boundary_point(first, second)
    whole: Tensor = torch.linalg.vector_norm(first - edge, dim=-1)
    rest: Tensor = torch.linalg.vector_norm(second - edge, dim=-1)
    return (whole / rest).log()
