"""The Fréchet distance of sets with fewer samples than dimensions, without a matrix (d, d).

With centred sets X (N, d) and Y (M, d) the covariances are XᵀX/(N-1) and YᵀY/(M-1), and the singular values of

    K = XYᵀ / √((N-1)(M-1)),   (N, M),

are the roots of the eigenvalues of their product: tr (Σ₁Σ₂)^{1/2} = ‖K‖_*, the nuclear norm. A matrix (d, d) has half
of its digits in the squares of these; here none is lost, and nothing is singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, blocks, check_pair, column_mean
from trainables.measures.frechet import nuclear_norm_polar

__all__ = ["GramFit", "gram_fit"]

_UNIT = 2.0**-53


@dataclass(frozen=True, eq=False)
class GramFit:
    """What the distance of two sets takes: all of it in float64.

    - ``products`` (N, M): K above;
    - ``gaps``: ⟨x_i - μ₁, μ₁ - μ₂⟩ (N,) and ⟨y_j - μ₂, μ₂ - μ₁⟩ (M,);
    - ``norms``: ‖x_i - μ₁‖² (N,) and ‖y_j - μ₂‖² (M,);
    - ``between``: ‖μ₁ - μ₂‖².
    """

    products: Tensor
    gaps: tuple[Tensor, Tensor]
    norms: tuple[Tensor, Tensor]
    between: float

    @cached_property
    def distance(self) -> float:
        """‖μ₁-μ₂‖² + tr Σ₁ + tr Σ₂ - 2‖K‖_*.

        The last three cancel where the covariances agree; what is left of them then is rounding, and is cut off. So
        a set has the distance 0 to itself.
        """
        traces = sum(float(norms.sum()) / (len(norms) - 1) for norms in self.norms)
        spread = traces - 2 * _nuclear_norm(self.products)
        rounding = 8 * max(self.products.shape) * _UNIT * traces
        return self.between + (spread if spread > rounding else 0.0)

    def influences(self) -> tuple[Tensor, Tensor]:
        """First-order effect of each sample on the distance, centred → (N,) and (M,).

        With K = U diag(s) Vᵀ the factor A = Yᵀ/√(M-1) of Σ₂ has (AᵀΣ₁A)^{1/2} = V diag(s) Vᵀ and XA = √(N-1) K, so
        that the derivative in Σ₁, I - A(AᵀΣ₁A)^{-1/2}Aᵀ, is at x_i - μ₁

            ‖x_i - μ₁‖² - (N-1) Σ_k s_k U_ik²,

        and that in μ₁ is 2⟨x_i - μ₁, μ₁ - μ₂⟩; mirrored with V for Y. See :func:`.frechet_influence`.
        """
        left, values, right = torch.linalg.svd(self.products, full_matrices=False)
        found = []
        for vectors, gaps, norms in zip((left, right.T), self.gaps, self.norms, strict=True):
            quadratic = norms - (len(norms) - 1) * (vectors.square() @ values)
            effect = 2 * gaps + quadratic
            found.append(effect - effect.mean())
        return found[0], found[1]


def gram_fit(x: Tensor | np.ndarray, y: Tensor | np.ndarray) -> GramFit:
    """The fit of ``x`` (N, d) and ``y`` (M, d). O(N·M·d) time, O(min(N, M)·d + N·M) memory in float64."""
    first, second = check_pair(as_features(x, "real features"), as_features(y, "fake features"))
    for features in (first, second):
        if len(features) < 2:
            raise ValueError("a covariance needs at least 2 samples, got 1; use more samples")
    if len(first) > len(second):
        other = gram_fit(second, first)
        return GramFit(other.products.T, other.gaps[::-1], other.norms[::-1], other.between)
    own, their = column_mean(first), column_mean(second)
    gap = own - their
    short = first.double() - own
    parts = []
    for block in blocks(second):
        centred = block.sub_(their)
        parts.append((short @ centred.T, centred @ -gap, centred.square().sum(dim=1)))
    products, gaps, norms = (torch.cat(part, dim=-1) for part in zip(*parts, strict=True))
    products /= ((len(first) - 1) * (len(second) - 1)) ** 0.5
    return GramFit(
        products,
        (short @ gap, gaps),
        (short.square().sum(dim=1), norms),
        float(gap.square().sum()),
    )


def _nuclear_norm(matrix: Tensor) -> float:
    """Σ_k s_k of (N, M); by products alone on a GPU."""
    if matrix.is_cuda:
        return float(nuclear_norm_polar(matrix))
    return float(torch.linalg.svdvals(matrix).sum())
