"""Norms of matrices, many at a time."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["gram_norm", "norm_from_above", "spectral_norm", "where_finite"]

_SQUARINGS = 26


def spectral_norm(weight: Tensor) -> Tensor:
    """Largest singular values (T,) of (T, out, in); NaN for a diverged trial, which must not stop the others."""
    finite = weight.nan_to_num(posinf=0.0, neginf=0.0)
    norm: Tensor = norm_from_above(finite) if weight.is_cuda else torch.linalg.matrix_norm(finite, ord=2)
    return where_finite(weight, norm)


def where_finite(weight: Tensor, norm: Tensor) -> Tensor:
    """The norms (T,) of those weights (T, …) that are finite, NaN of the others."""
    return torch.where(weight.isfinite().flatten(1).all(dim=1), norm, torch.nan)


def gram_norm(weight: Tensor) -> Tensor:
    """The same of finite matrices, real or complex, as √ρ(WᴴW): quicker where they are many or large.

    The largest root loses no digits that matter in double precision.
    """
    if weight.is_cuda:
        return norm_from_above(weight)
    tall = weight.mH if weight.shape[1] < weight.shape[2] else weight
    largest: Tensor = torch.linalg.eigvalsh(tall.mH @ tall)[:, -1]
    return largest.clamp_min(0).sqrt()


def norm_from_above(weight: Tensor) -> Tensor:
    """‖W‖ (T,) of (T, out, in) by products alone, from above: a card takes its singular values one matrix at a time.

    With G = WᴴW, ‖W‖² = ρ(G) ≤ ‖G^m‖_F^{1/m} ≤ n^{1/2m} ρ(G). G is squared again and again, kept at norm 1 with the
    logarithm of its scale beside it; for m = 2^26 and n = 4096 what is too much is 3e-8 of the norm.
    """
    gram = weight.mH if weight.shape[1] < weight.shape[2] else weight
    gram = gram.to(torch.complex128 if weight.is_complex() else torch.float64)
    gram = gram.mH @ gram
    log_scale = torch.zeros(len(gram), dtype=torch.float64, device=gram.device)
    for power in range(_SQUARINGS + 1):
        norm = torch.linalg.matrix_norm(gram)
        log_scale += norm.log() / 2**power
        gram = gram / norm.clamp_min(torch.finfo(torch.float64).tiny)[:, None, None]
        if power < _SQUARINGS:
            gram = gram @ gram
    return (log_scale / 2).exp().to(weight.real.dtype)
