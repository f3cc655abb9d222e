"""The Fréchet distance between Gaussians fitted to two feature sets (FID when the features are Inception's).

Heusel et al., *GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium*, 2017.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, blocks, column_mean

__all__ = [
    "frechet_distance",
    "frechet_distances",
    "frechet_influence",
    "gaussian_statistics",
    "nuclear_norm_polar",
]

_SMALL = 64
"""Up to this dimension all covariances of a pack are factored at once; beyond, one alone fills a device."""
_LEAF = 128
"""Below this dimension the zeros of a triangle cost less than leaving them out."""


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


def frechet_distance(m1: Tensor, c1: Tensor, m2: Tensor, c2: Tensor) -> float:
    """‖μ₁-μ₂‖² + tr(Σ₁ + Σ₂ - 2(Σ₁Σ₂)^{1/2}), the squared 2-Wasserstein distance of two Gaussians.

    With Σ₁ = AAᵀ the eigenvalues of Σ₁Σ₂ are those of the symmetric AᵀΣ₂A, so the trace of the root is
    Σᵢ√λᵢ(AᵀΣ₂A): real for every pair of covariances, never NaN. Means (d,), covariances (d, d). Rounding
    below zero is cut off.
    """
    m1, c1, m2, c2 = _checked(m1, c1, m2, c2)
    root_trace = _root_trace_polar(c1, c2) if c1.is_cuda else _root_trace(c1, c2)
    distance = (m1 - m2).square().sum() + c1.trace() + c2.trace() - 2 * root_trace
    return max(float(distance), 0.0)


def frechet_distances(mean: Tensor, covariance: Tensor, sets: Tensor) -> Tensor:
    """``frechet_distance`` of one Gaussian (d,), (d, d) to the fits of each of sets (B, M, d) → (B,) float64.

    O(B·(M·d² + d³)) time, O(B·M·d) memory.
    """
    if sets.shape[2] > _SMALL:
        found = [frechet_distance(mean, covariance, *gaussian_statistics(one)) for one in sets]
        return torch.tensor(found, dtype=torch.float64)
    if sets.shape[1] < 2:
        raise ValueError("a covariance needs at least 2 samples, got 1; use more samples")
    means = sets.double().mean(dim=1)
    centred = sets.double() - means[:, None]
    covariances = centred.mT @ centred / (sets.shape[1] - 1)
    factor = _factor(covariance)
    products = factor.T @ covariances @ factor
    values: Tensor = torch.linalg.eigvalsh((products + products.mT) / 2)
    traces = covariance.trace() + covariances.diagonal(dim1=1, dim2=2).sum(1)
    roots = values.clamp_min(0.0).sqrt().sum(1)
    return ((mean - means).square().sum(1) + traces - 2 * roots).clamp_min(0.0)


def frechet_influence(x: Tensor, own: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> Tensor:
    """First-order effect of each sample of ``x`` (N, d) on the distance, centred → (N,) float64.

    With Σ₂ = AAᵀ (other) and H = (AᵀΣ₁A)^{1/2}, the derivative of the distance is 2(μ₁-μ₂) in the mean and
    I - AH⁺Aᵀ (I minus the optimal transport map) in the covariance Σ₁ of ``x``. A sample moves the two by
    (x-μ₁)/N and ((x-μ₁)(x-μ₁)ᵀ-Σ₁)/N; the mean of the returned values over a bootstrap sample is the change
    of the distance to first order (Jaeckel's infinitesimal jackknife, 1972). Zero when the sets agree.
    """
    m1, c1, m2, c2 = _checked(*own, *other)
    factor = _factor(c2)
    values, vectors = torch.linalg.eigh(_symmetric(factor.T @ c1 @ factor))
    roots = values.clamp_min(0.0).sqrt()
    kept = roots > roots.amax() * 1e-7
    scaled = (factor @ vectors[:, kept]) / roots[kept].sqrt()
    influence = []
    for block in blocks(as_features(x)):
        centred = block.sub(m1)
        quadratic = centred.square().sum(dim=1) - (centred @ scaled).square().sum(dim=1)
        influence.append(2 * centred @ (m1 - m2) + quadratic)
    found = torch.cat(influence)
    return found - found.mean()


def _checked(*parts: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    m1, c1, m2, c2 = (torch.as_tensor(part).double() for part in parts)
    if m1.shape != m2.shape or c1.shape != c2.shape or c1.shape != (len(m1), len(m1)):
        raise ValueError(
            f"means (d,) and covariances (d, d) must share one d, got {tuple(m1.shape)}, {tuple(c1.shape)}, "
            f"{tuple(m2.shape)} and {tuple(c2.shape)}; use the same extractor for both sets"
        )
    if not all(bool(torch.isfinite(part).all()) for part in (m1, c1, m2, c2)):
        raise ValueError("means and covariances must be finite; remove the samples that hold NaN or infinity")
    return m1, c1, m2, c2


def _symmetric(matrix: Tensor) -> Tensor:
    return (matrix + matrix.T) / 2


def _factor(covariance: Tensor) -> Tensor:
    """A with A Aᵀ = Σ: Cholesky, or the eigenvector factor when Σ is rank-deficient (no jitter is added)."""
    lower: Tensor
    lower, failed = torch.linalg.cholesky_ex(covariance)
    if int(failed) == 0:
        return lower
    values, vectors = torch.linalg.eigh(covariance)
    return torch.as_tensor(vectors * values.clamp_min(0.0).sqrt())


def _congruence(lower: Tensor, c: Tensor) -> Tensor:
    """LᵀCL for lower-triangular L and symmetric C, (d, d) → (d, d), right on and below the diagonal only.

    By halves, with S = L₂₁ᵀ(C₂₁L₁₁ + ½C₂₂L₂₁):

        (LᵀCL)₁₁ = L₁₁ᵀC₁₁L₁₁ + S + Sᵀ,   (LᵀCL)₂₁ = L₂₂ᵀ(C₂₁L₁₁ + C₂₂L₂₁),   (LᵀCL)₂₂ = L₂₂ᵀC₂₂L₂₂,

    which is d³/2 multiply-adds where two products of full matrices are 2d³.
    """
    if len(c) <= _LEAF:
        return lower.T @ (c @ lower)
    m = len(c) // 2
    beside, below = _times_lower(c[m:, :m], lower[:m, :m]), c[m:, m:] @ lower[m:, :m]
    half = lower[m:, :m].T @ torch.add(beside, below, alpha=0.5)
    found = torch.zeros_like(c)
    found[:m, :m] = _congruence(lower[:m, :m], c[:m, :m]).add_(half).add_(half.T)
    found[m:, :m] = _times_lower(beside.add_(below).T, lower[m:, m:]).T
    found[m:, m:] = _congruence(lower[m:, m:], c[m:, m:])
    return found


def _times_lower(a: Tensor, lower: Tensor) -> Tensor:
    """AL for lower-triangular L, (n, d), (d, d) → (n, d), without the products of its zeros."""
    if len(lower) <= _LEAF:
        return a @ lower
    m = len(lower) // 2
    left = _times_lower(a[:, :m], lower[:m, :m]).addmm_(a[:, m:], lower[m:, :m])
    return torch.cat([left, _times_lower(a[:, m:], lower[m:, m:])], dim=1)


def _root_trace(c1: Tensor, c2: Tensor) -> Tensor:
    """tr (Σ₁Σ₂)^{1/2} = Σᵢ √λᵢ(AᵀΣ₂A), A Aᵀ = Σ₁."""
    factor, failed = torch.linalg.cholesky_ex(c1)
    if int(failed) == 0:
        product = _congruence(factor, c2)
    else:
        factor = _factor(c1)
        product = _symmetric(factor.T @ c2 @ factor)
    values: Tensor = torch.linalg.eigvalsh(product, UPLO="L")
    return torch.as_tensor(values.clamp_min(0.0).sqrt().sum())


def _root_trace_polar(c1: Tensor, c2: Tensor) -> Tensor:
    """tr (Σ₁Σ₂)^{1/2} = ‖BᵀA‖_* with A Aᵀ = Σ₁, B Bᵀ = Σ₂."""
    return nuclear_norm_polar(_factor(c2).T @ _factor(c1))


def nuclear_norm_polar(m: Tensor, smallest: float = 1e-12) -> Tensor:
    """‖M‖_* = tr(UᵀM) of (n, m), the sum of its singular values, with U the polar factor of M.

    U comes from matrix products alone, which is what a GPU does best (its eigenvalue solver is an order slower):
    X ← ½aX(3I - a²XᵀX) with a² = 3/(1+l+l²) for singular values in [l, 1] (Chen & Chow, *A Stable Scaling of
    Newton-Schulz for Improving the Sign Function Computation*, 2014). tr(UᵀM) is stationary at the polar factor,
    so an error ε in U costs ε²; singular values below ``smallest``·‖M‖ are lost at most.
    """
    norm: Tensor = torch.linalg.matrix_norm(m)  # Frobenius: bounds every singular value by 1 after division
    if float(norm) == 0.0:
        return norm
    m = m if m.shape[0] >= m.shape[1] else m.T  # XᵀX is the smaller one
    x, low = m / norm, smallest
    while low < 1 - 1e-9:
        a2 = 3 / (1 + low + low * low)
        a = a2**0.5
        x = torch.addmm(x, x, x.T @ x, beta=1.5 * a, alpha=-0.5 * a * a2)
        low = 0.5 * a * (3 - a2)
    return torch.as_tensor((x * m).sum())
