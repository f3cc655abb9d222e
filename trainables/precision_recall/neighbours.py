"""The curve of a model that is known by its samples alone, against a law whose density is known.

Every set A bounds α_λ ≤ λP(A) + Q(Aᶜ), with equality at {λp < q}. The density of the model is estimated by nearest
neighbours, q̂_k(x) = (k - ½) / (m V_d ρ_k(x)^d) with ρ_k(x) the distance to the k-th of m samples. These are many where
the model is dense: a mode that has shrunk to a hundredth of its width is resolved as well as one that has not, where
the cells of a grid would hide it. A = {λp < q̂_k} is then read on samples that took no part in q̂. Being wrong about a
point costs |λp - q| there, small just where the estimate is unsure: the excess is of second order in its error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.measures.knn.nearest import nearest_distances
from trainables.precision_recall.curve import PRCurve

__all__ = ["NEIGHBOURS", "SURE", "NeighbourCurve", "curve_from_neighbours"]

NEIGHBOURS = (6, 20, 48)
"""Few neighbours see what is narrow, many are surer: which is better is chosen for every λ by itself."""
_SMOOTH = 15
"""Neighbouring λ over which the excess is averaged: it is smooth, its estimate is not."""
SURE = 1.96
"""Standard errors on either side that an error stands for."""

_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NeighbourCurve:
    """A curve, and ``error`` (L,): how far α_λ may be off, sampling and excess together."""

    curve: PRCurve
    error: _Array


def curve_from_neighbours(
    log_p: Callable[[Tensor], Tensor], reference: Tensor, model: Tensor, real: Tensor, lambdas: Tensor
) -> NeighbourCurve:
    """α_λ ≈ λP(λp < q̂) + Q(λp ≥ q̂), and how far that may be from the truth.

    Args:
        log_p: log-density of P, (n, d) → (n,).
        reference: samples of Q from which q̂ is estimated, (m, d), m ≥ 96.
        model: further samples of Q, on which the curve is read, (n, d).
        real: samples of P, (n', d).
        lambdas: trade-offs in (0, ∞), shape (L,), rising.

    The number of neighbours is chosen for every λ on every other sample and the curve read on the rest, then the two
    change places. The error is two standard errors, and twice the excess that further readings tell of, with half of
    the reference: with k neighbours of it balls have twice the volume, with k/2 the same volume and twice the noise.
    Each loses about once more what the balls' size or their noise loses now. O((n + n' + m) log m) in d ≤ 3.
    """
    order = max(NEIGHBOURS)
    if len(reference) < 2 * order:
        raise ValueError(
            f"the curve needs at least {2 * order} samples to refer to, got {len(reference)}; draw more"
        )
    ratios = [_log_ratio(log_p, points, reference, NEIGHBOURS) for points in (real, model)]
    lam = lambdas.double().cpu()
    whole = [_halves(ratios[0][:, i], ratios[1][:, i], lam) for i in range(len(NEIGHBOURS))]
    best = [np.argmin([own[half].alpha for own in whole], axis=0) for half in (0, 1)]
    parts = [_chosen(best[1 - half], [own[half] for own in whole]) for half in (0, 1)]
    alpha = np.mean([part.alpha for part in parts], axis=0)
    # Neighbouring λ may differ in their neighbours; α_λ itself never falls.
    alpha = np.minimum(np.maximum.accumulate(alpha), np.minimum(1.0, lam.numpy()))
    noise = np.sqrt(np.mean([part.variance for part in parts], axis=0) / 2)
    excess = _excess(log_p, reference[::2], real, model, ratios, lam, best)
    return NeighbourCurve(PRCurve(lam.numpy(), alpha, alpha / lam.numpy()), SURE * noise + 2 * excess)


def _log_ratio(
    log_p: Callable[[Tensor], Tensor], points: Tensor, reference: Tensor, ks: Sequence[int]
) -> Tensor:
    """log p/q̂_k (n, len(ks)); -∞ where k samples coincide with a point."""
    d = points.shape[1]
    log_ball = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)
    distances = nearest_distances(points, reference, ks)
    counts = torch.tensor(ks, dtype=torch.float64, device=distances.device) - 0.5
    log_q = counts.log() - math.log(len(reference)) - log_ball - d * distances.log()
    return log_p(points).double()[:, None] - log_q


@dataclass(frozen=True, eq=False)
class _Part:
    """α_λ = λP(A) + Q(Aᶜ) on some samples, cut to min(1, λ), and its variance, both (L,)."""

    alpha: _Array
    variance: _Array


def _part(real: Tensor, model: Tensor, lam: Tensor) -> _Part:
    """From log p/q̂ at samples of P (n',) and of Q (n,)."""
    edges = (-lam.log()).to(real.device)
    below = (torch.searchsorted(real.sort().values, edges).cpu() / len(real)).double()
    above = 1 - (torch.searchsorted(model.sort().values, edges).cpu() / len(model)).double()
    alpha = torch.minimum(lam * below + above, lam.clamp(max=1.0))
    # One sample more than was seen: a share of 0 is not known to be 0.
    of_p = lam.square() * (below + 1 / len(real)) * (1 - below) / len(real)
    of_q = (above + 1 / len(model)) * (1 - above) / len(model)
    return _Part(alpha.numpy(), (of_p + of_q).numpy())


def _halves(real: Tensor, model: Tensor, lam: Tensor) -> tuple[_Part, _Part]:
    """On samples 0, 2, 4, … and on 1, 3, 5, …."""
    return _part(real[::2], model[::2], lam), _part(real[1::2], model[1::2], lam)


def _chosen(best: NDArray[np.int64], parts: Sequence[_Part]) -> _Part:
    """For every λ the part that is ``best``."""
    return _Part(
        np.choose(best, [part.alpha for part in parts]), np.choose(best, [part.variance for part in parts])
    )


def _excess(
    log_p: Callable[[Tensor], Tensor],
    reference: Tensor,
    real: Tensor,
    model: Tensor,
    ratios: Sequence[Tensor],
    lam: Tensor,
    best: Sequence[NDArray[np.int64]],
) -> _Array:
    """What half of the ``reference`` loses more, by the size of balls and by their noise, on half of the samples."""
    orders = [*(k // 2 for k in NEIGHBOURS), *NEIGHBOURS]
    some = real[: len(real) // 2], model[: len(model) // 2]
    fewer = [_log_ratio(log_p, points, reference, orders) for points in some]
    rough = [_halves(fewer[0][:, i], fewer[1][:, i], lam) for i in range(len(orders))]
    whole = [
        _halves(ratios[0][: len(some[0]), i], ratios[1][: len(some[1]), i], lam)
        for i in range(len(NEIGHBOURS))
    ]
    lost = np.zeros(len(lam))
    for half in (0, 1):
        now = _chosen(best[1 - half], [own[half] for own in whole]).alpha
        for others in (rough[: len(NEIGHBOURS)], rough[len(NEIGHBOURS) :]):
            then = _chosen(best[1 - half], [own[half] for own in others]).alpha
            lost += np.maximum(_smooth(then - now), 0.0) / 2
    return lost


def _smooth(values: _Array) -> _Array:
    """Means over windows, shorter at the ends."""
    window = np.ones(min(_SMOOTH, len(values)))
    sums, counts = (np.convolve(each, window, mode="same") for each in (values, np.ones(len(values))))
    return np.asarray(sums / counts)
