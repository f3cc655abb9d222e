"""k-means for several seeds at once: one matrix product serves all runs.

Features of high dimension are first projected on their leading principal directions, where the clusters of k-means live
(Ding & He, *K-means Clustering via Principal Component Analysis*, 2004); the runs are finished in the full space.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.measures.arrays import as_features, column_mean
from trainables.measures.knn.products import full_float32

__all__ = ["Clustering", "kmeans"]

_WIDTH = 64  # principal directions kept for the search
_STEP = 8192  # rows at a time


@dataclass(frozen=True)
class Clustering:
    """``labels`` (runs, N), ``centres`` (runs, clusters, d), ``inertia`` (runs,): mean squared distance to them.

    Centres are given relative to the mean of all samples.
    """

    labels: Tensor
    centres: Tensor
    inertia: Tensor


def kmeans(
    x: Tensor,
    clusters: int,
    runs: int = 1,
    seed: int = 0,
    iterations: int = 30,
    polish: int = 2,
    progress: Callable[[float], None] | None = None,
) -> Clustering:
    """Lloyd's algorithm on ``x`` (N, d) from ``runs`` greedy k-means++ starts, all advanced together.

    At most ``iterations`` steps (fewer once no label moves) in at most 64 principal directions, then ``polish``
    steps with all coordinates. An emptied cluster is moved to the sample farthest from its centre. ``progress`` hears
    which part of all steps is done.
    """
    features = as_features(x)
    if not 1 <= clusters <= len(features):
        raise ValueError(
            f"clusters must lie between 1 and the number of samples {len(features)}, got {clusters}; "
            "use more samples or fewer clusters"
        )
    generator = torch.Generator(device=features.device).manual_seed(seed)
    # Centred and scaled by a power of two before float32: neither an offset nor the unit of the features matters.
    features = features - column_mean(features).to(features)
    largest = float(features.abs().amax())
    scale = 2.0 ** math.ceil(math.log2(largest)) if largest > 0 else 1.0
    features = features.div_(scale).float()
    with full_float32():
        narrow = _project(features, generator)
        centres = _plus_plus(narrow, clusters, runs, generator)
        labels, _ = _assign(narrow, centres)
        for step in range(iterations):
            if progress is not None:
                progress(step / (iterations + polish))
            centres = _update(narrow, labels, centres)
            moved, distances = _assign(narrow, centres)
            if torch.equal(moved, labels):
                break
            labels = _fill_empty(moved, distances, clusters)
        centres = features.new_zeros(runs, clusters, features.shape[1])
        for step in range(polish if features.shape[1] > _WIDTH else 1):
            if progress is not None:
                progress((iterations + step) / (iterations + polish))
            centres = _update(features, labels, centres)
            labels, distances = _assign(features, centres)
    return Clustering(labels, centres * scale, distances.double().mean(dim=1) * scale**2)


def _project(x: Tensor, generator: torch.Generator) -> Tensor:
    """The leading principal coordinates of centred ``x`` by a randomised range finder (Halko et al. 2011)."""
    if x.shape[1] <= _WIDTH:
        return x
    test = torch.randn(x.shape[1], _WIDTH + 8, generator=generator, device=x.device)
    for _ in range(2):
        test, _ = torch.linalg.qr(x.T @ (x @ test))
    narrow = x @ test
    _, vectors = torch.linalg.eigh(narrow.T @ narrow)
    return torch.as_tensor(narrow @ vectors[:, -_WIDTH:])


def _plus_plus(x: Tensor, clusters: int, runs: int, generator: torch.Generator, trials: int = 4) -> Tensor:
    """Greedy k-means++ (Arthur & Vassilvitskii 2007): the best of a few draws ∝ squared distance → (runs, k, d)."""
    n, norms = len(x), x.square().sum(dim=1)
    first = torch.randint(n, (runs,), generator=generator, device=x.device)
    chosen = [x[first]]
    nearest = _squared(x, norms, chosen[0])  # (N, runs)
    for _ in range(clusters - 1):
        weights = nearest.T.double()
        weights = weights + (
            weights.sum(dim=1, keepdim=True) == 0
        )  # all samples already centres: any will do
        drawn = torch.multinomial(weights, trials, replacement=True, generator=generator)  # (runs, trials)
        offered = _squared(x, norms, x[drawn.flatten()]).view(n, runs, trials)
        best = torch.minimum(offered, nearest[:, :, None]).sum(dim=0).argmin(dim=1)  # (runs,)
        run = torch.arange(runs, device=x.device)
        nearest = torch.minimum(nearest, offered[:, run, best])
        chosen.append(x[drawn[run, best]])
    return torch.stack(chosen, dim=1)


def _squared(x: Tensor, norms: Tensor, centres: Tensor) -> Tensor:
    """‖x_i - c_j‖², (N, d) and (m, d) → (N, m)."""
    bias = centres.square().sum(dim=1)
    return torch.addmm(bias, x, (-2 * centres).T).add_(norms[:, None]).clamp_min_(0.0)


def _assign(x: Tensor, centres: Tensor) -> tuple[Tensor, Tensor]:
    """Nearest centre of every run and the squared distance to it → (runs, N) twice."""
    runs, clusters, d = centres.shape
    flat = centres.reshape(-1, d)
    labels, distances = [], []
    for start in range(0, len(x), _STEP):
        rows = x[start : start + _STEP]
        squared = _squared(rows, rows.square().sum(dim=1), flat).view(len(rows), runs, clusters)
        smallest, index = squared.min(dim=2)
        labels.append(index)
        distances.append(smallest)
    return torch.cat(labels).T.contiguous(), torch.cat(distances).T.contiguous()


def _update(x: Tensor, labels: Tensor, centres: Tensor) -> Tensor:
    """Means of the clusters by a product with their indicators; an empty cluster keeps its centre."""
    runs, clusters, d = centres.shape
    offset = torch.arange(runs, device=x.device)[:, None] * clusters
    sums = x.new_zeros(runs * clusters, d)
    for start in range(0, len(x), _STEP):
        rows = x[start : start + _STEP]
        indicator = x.new_zeros(len(rows), runs * clusters)
        indicator.scatter_(1, (labels[:, start : start + _STEP] + offset).T, 1.0)
        sums.addmm_(indicator.T, rows)
    sizes = torch.bincount((labels + offset).flatten(), minlength=runs * clusters)[:, None]
    means = torch.where(sizes > 0, sums / sizes.clamp_min(1), centres.reshape(-1, d))
    return means.view(runs, clusters, d)


def _fill_empty(labels: Tensor, distances: Tensor, clusters: int) -> Tensor:
    """Give every empty cluster the sample that lies farthest from its own centre."""
    for run in range(len(labels)):
        sizes = torch.bincount(labels[run], minlength=clusters)
        empty = (sizes == 0).nonzero().flatten()
        if len(empty):
            farthest = distances[run].topk(len(empty)).indices
            labels[run, farthest] = empty
    return labels
