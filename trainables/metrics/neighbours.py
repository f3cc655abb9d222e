"""Precision, recall, density and coverage from k-nearest-neighbour balls.

Kynkäänniemi et al., *Improved Precision and Recall Metric for Assessing Generative Models*, 2019 (precision
and recall); Naeem et al., *Reliable Fidelity and Diversity Metrics for Generative Models*, 2020 (density and
coverage).

Every metric here is a mean over samples of a per-sample count, so :class:`BallCounts` is computed once and
both the scores and their bootstrap intervals are read from it. No N×N array is ever held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.metrics.arrays import as_features, check_neighbours, check_pair
from trainables.metrics.trees import LOW_DIMENSION, ball_pairs, tree_radii

__all__ = [
    "BallCounts",
    "NeighbourScores",
    "ball_counts",
    "knn_radii",
    "precision_recall_density_coverage",
]

_BLOCK = 1 << 22  # distances held at a time


@dataclass(frozen=True)
class NeighbourScores:
    """The four k-NN scores; each in [0, 1] but density, which may exceed 1."""

    precision: float
    recall: float
    density: float
    coverage: float


@dataclass(frozen=True)
class BallCounts:
    """Who lies in whose ball.

    - ``fake_in_real`` (M,): in how many real balls each fake lies;
    - ``real_in_fake`` (N,): whether each real lies in some fake ball;
    - ``real_holds`` (N,): whether each real ball holds some fake;
    - ``k``: the neighbour that made the radii.
    """

    fake_in_real: Tensor
    real_in_fake: Tensor
    real_holds: Tensor
    k: int

    def scores(self) -> NeighbourScores:
        """The scores as means of the counts."""
        hits = self.fake_in_real.double()
        return NeighbourScores(
            precision=float((hits > 0).double().mean()),  # Kynkäänniemi eq. 2, share of fakes
            recall=float(self.real_in_fake.double().mean()),  # Kynkäänniemi eq. 2 mirrored, share of reals
            density=float(hits.mean()) / self.k,  # Naeem eq. 2, same k as the radii
            coverage=float(self.real_holds.double().mean()),  # Naeem eq. 3
        )


def knn_radii(x: Tensor | np.ndarray, k: int) -> Tensor:
    """Distance from each sample of ``x`` (N, d) to its k-th neighbour, itself excluded → (N,) float64."""
    features = as_features(x)
    check_neighbours(len(features), k)
    if _low(features):
        return torch.from_numpy(tree_radii(_numpy(features), k))
    features = features.double()
    features = features - features.mean(dim=0)
    radii = []
    for start in range(0, len(features), _rows(len(features))):
        rows = features[start : start + _rows(len(features))]
        squared = _squared_distances(rows, features)
        squared[torch.arange(len(rows)), torch.arange(start, start + len(rows))] = torch.inf
        radii.append(squared.topk(k, dim=1, largest=False, sorted=False).values.amax(dim=1))
    return torch.cat(radii).sqrt()


def ball_counts(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    k: int,
    real_radii: Tensor | None = None,
    strict: bool = False,
) -> BallCounts:
    """Membership counts of ``real`` (N, d) and ``fake`` (M, d) in each other's k-NN balls.

    ``real_radii`` (N,) are ``knn_radii(real, k)`` if already known. Balls are closed (`≤`, as in
    Kynkäänniemi's code), so identical sets score 1; ``strict`` opens them (`<`) for parity with prdc and piq.
    """
    real, fake = as_features(real, "real features"), as_features(fake, "fake features")
    check_pair(real, fake)
    check_neighbours(len(real), k, "real features")
    check_neighbours(len(fake), k, "fake features")
    if real_radii is None:
        real_radii = knn_radii(real, k)
    elif real_radii.shape != (len(real),):
        raise ValueError(
            f"real_radii must hold one radius per real sample, got shape {tuple(real_radii.shape)} for "
            f"{len(real)} samples; compute them with knn_radii(real, k)"
        )
    fake_radii = knn_radii(fake, k)
    if _low(real) and _low(fake):
        return _tree_counts(real, fake, k, real_radii, fake_radii, strict)
    return _dense_counts(real, fake, k, real_radii, fake_radii, strict)


def precision_recall_density_coverage(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    k: int,
    real_radii: Tensor | None = None,
    strict: bool = False,
) -> NeighbourScores:
    """Precision, recall, density, coverage of ``fake`` (M, d) against ``real`` (N, d), N and M above k.

    - precision: share of **fakes** inside some real ball;
    - recall: share of **reals** inside some fake ball;
    - density: mean number of real balls around a fake, divided by the same k;
    - coverage: share of **real balls** holding a fake.
    """
    return ball_counts(real, fake, k, real_radii, strict).scores()


def _low(x: Tensor) -> bool:
    return x.shape[1] <= LOW_DIMENSION and x.device.type == "cpu"


def _numpy(x: Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.double().numpy())


def _rows(columns: int) -> int:
    return max(1, _BLOCK // columns)


def _squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """‖x_i - y_j‖² = ‖x_i‖² + ‖y_j‖² - 2⟨x_i, y_j⟩, (n, d) and (m, d) → (n, m)."""
    norms = x.square().sum(dim=1)[:, None] + y.square().sum(dim=1)[None, :]
    return torch.addmm(norms, x, y.T, alpha=-2).clamp_min_(0.0)


def _tree_counts(
    real: Tensor, fake: Tensor, k: int, real_radii: Tensor, fake_radii: Tensor, strict: bool
) -> BallCounts:
    x, y = _numpy(real), _numpy(fake)
    hits = np.zeros(len(y), dtype=np.int64)
    holds = np.zeros(len(x), dtype=bool)
    inside = np.zeros(len(x), dtype=bool)
    for i, j in ball_pairs(x, _numpy(real_radii), y, strict):
        hits += np.bincount(j, minlength=len(y))
        holds[i] = True
    for _, i in ball_pairs(y, _numpy(fake_radii), x, strict):
        inside[i] = True
    return BallCounts(torch.from_numpy(hits), torch.from_numpy(inside), torch.from_numpy(holds), k)


def _dense_counts(
    real: Tensor, fake: Tensor, k: int, real_radii: Tensor, fake_radii: Tensor, strict: bool
) -> BallCounts:
    x, y = real.double(), fake.double()
    shift = x.mean(dim=0)
    x, y = x - shift, y - shift
    real_radii, fake_radii = real_radii.to(x), fake_radii.to(x)
    compare = torch.lt if strict else torch.le
    hits = torch.zeros(len(y), dtype=torch.int64, device=x.device)
    holds, inside = [], []
    for start in range(0, len(x), _rows(len(y))):
        distances = _squared_distances(x[start : start + _rows(len(y))], y).sqrt_()
        in_real = compare(distances, real_radii[start : start + len(distances), None])
        hits += in_real.sum(dim=0)
        holds.append(in_real.any(dim=1))
        inside.append(compare(distances, fake_radii[None, :]).any(dim=1))
    return BallCounts(hits, torch.cat(inside), torch.cat(holds), k)
