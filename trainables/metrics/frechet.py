"""The Fréchet distance between Gaussians fitted to two feature sets (FID when the features are Inception's).

Heusel et al., *GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium*, 2017.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.metrics.arrays import as_features, blocks, column_mean

__all__ = ["frechet_distance", "gaussian_statistics"]


def gaussian_statistics(x: Tensor | np.ndarray) -> tuple[Tensor, Tensor]:
    """Mean (d,) and unbiased covariance (d, d) of ``x`` (N, d), in float64 on the device of ``x``.

    The covariance divides by N-1, as numpy.cov and pytorch-fid do.
    """
    features = as_features(x)
    if len(features) < 2:
        raise ValueError("a covariance needs at least 2 samples, got 1; use more samples")
    mean = column_mean(features)
    covariance = torch.zeros(len(mean), len(mean), dtype=torch.float64, device=features.device)
    for block in blocks(features):
        centred = block.sub(mean)
        covariance.addmm_(centred.T, centred)
    return mean, covariance.div_(len(features) - 1)


def _factor(covariance: Tensor) -> Tensor:
    """A with A Aᵀ = Σ: Cholesky, or the eigenvector factor when Σ is rank-deficient (no jitter is added)."""
    lower: Tensor
    lower, failed = torch.linalg.cholesky_ex(covariance)
    if int(failed) == 0:
        return lower
    values, vectors = torch.linalg.eigh(covariance)
    return torch.as_tensor(vectors * values.clamp_min(0.0).sqrt())


def frechet_distance(m1: Tensor, c1: Tensor, m2: Tensor, c2: Tensor) -> float:
    """‖μ₁-μ₂‖² + tr(Σ₁ + Σ₂ - 2(Σ₁Σ₂)^{1/2}), the squared 2-Wasserstein distance of two Gaussians.

    With Σ₁ = AAᵀ the eigenvalues of Σ₁Σ₂ are those of the symmetric AᵀΣ₂A, so the trace of the root is
    Σᵢ√λᵢ(AᵀΣ₂A): real for every pair of covariances, never NaN. Means (d,), covariances (d, d). Rounding
    below zero is cut off.
    """
    m1, c1, m2, c2 = (torch.as_tensor(t).double() for t in (m1, c1, m2, c2))
    if m1.shape != m2.shape or c1.shape != c2.shape or c1.shape != (len(m1), len(m1)):
        raise ValueError(
            f"means (d,) and covariances (d, d) must share one d, got {tuple(m1.shape)}, {tuple(c1.shape)}, "
            f"{tuple(m2.shape)} and {tuple(c2.shape)}; use the same extractor for both sets"
        )
    if not all(bool(torch.isfinite(t).all()) for t in (m1, c1, m2, c2)):
        raise ValueError("means and covariances must be finite; remove the samples that hold NaN or infinity")
    factor = _factor(c1)
    product = factor.T @ c2 @ factor
    values = torch.linalg.eigvalsh((product + product.T) / 2)
    root_trace = values.clamp_min(0.0).sqrt().sum()
    distance = (m1 - m2).square().sum() + c1.trace() + c2.trace() - 2 * root_trace
    return max(float(distance), 0.0)
