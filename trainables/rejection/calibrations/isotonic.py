"""Isotonic calibration: any rising map from scores to log ratios, the one that the labels of the points speak for.

Among all rising functions of the score the likeliest share of real points is found by pooling adjacent violators (Ayer
et al. 1955; for classifiers Zadrozny and Elkan 2002): blocks of neighbouring points, each with the share of real ones
in it, which is that of the slope of the ROC curve's convex hull. Only the order of scores counts, so that no bend of
the critic's scale survives.

* Classes weigh alike: a real point 1/(N+1), a generated one 1/(M+1). The log odds of a block are then its log ratio.
* Blocks of one kind alone would have ratios 0 and ∞. So one more real point is put below all points, and one more
  generated point above all, before blocks are pooled: whoever is new may be the very worst case. Blocks stay in order,
  1/(N+1) ≤ r ≤ M+1, and one point of each kind says r = 1.
* Between the blocks' centres log r is linear (Oron and Flournoy 2017 for isotonic regression at large: closer to
  smooth truths than steps), beyond the first and the last it is constant. The centre is the block's weighted median:
  one of its own scores, so that a rising transform of all scores moves the centres along and changes no ratio of
  values at them.
* Last a constant is added: E_Q[r] = 1 over the generated points of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.rejection.calibrations.calibration import Calibration, bounded, checked, log_mean_ratio

__all__ = ["Isotonic"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Isotonic(Calibration):
    """log r linear between the centres of B blocks; a trial of fewer blocks repeats its last one.

    Attributes:
        places: (T, B) centres, rising.
        values: (T, B) log r there, rising.
    """

    name: ClassVar[str] = "isotonic"
    places: Tensor
    values: Tensor

    @classmethod
    def fit(cls, real: Tensor, fake: Tensor) -> Self:
        """Sorted on the device for all trials at once, O(T·n log n); blocks on the CPU, O(n) a trial, n = N + M."""
        real, fake = checked(real, fake)
        scores, order = torch.cat((real, fake), dim=1).sort(dim=1)
        is_real = (order < real.shape[1]).cpu().numpy()
        blocks = [_blocks(own, kinds) for own, kinds in zip(scores.cpu().numpy(), is_real, strict=True)]
        most = max((len(places) for places, _ in blocks), default=1)
        padded = np.empty((2, len(blocks), most))
        for row, pair in enumerate(blocks):
            for part, own in zip(padded, pair, strict=True):
                part[row, : len(own)] = own
                part[row, len(own) :] = own[-1]
        found = cls(*torch.from_numpy(padded).to(real.device))
        return cls(found.places, found.values - log_mean_ratio(found.log_ratio(fake)).unsqueeze(1))

    def check(self) -> None:
        """As many places as values, both rising."""
        super().check()
        shape = tuple(self.places.shape)
        if self.places.ndim != 2 or shape[1] == 0 or tuple(self.values.shape) != shape:
            raise ValueError(
                "places and values of calibration 'isotonic' must be (T, B) both, "
                f"got {shape} and {tuple(self.values.shape)}"
            )
        for name, values in self.tensors().items():
            if not bool((values.diff(dim=1) >= 0).all()):
                raise ValueError(f"{name} of calibration 'isotonic' must rise along every row")

    def log_ratio(self, scores: Tensor) -> Tensor:
        """Linear between places, O(log B) a score; its gradient is the slope of the piece, and 0 beyond the ends."""
        places, values = self.places, self.values
        inside = torch.minimum(torch.maximum(scores.double(), places[:, :1]), places[:, -1:])
        above = torch.searchsorted(places, inside.detach().contiguous(), right=True)
        after = above.clamp(max=places.shape[1] - 1)
        before = (above - 1).clamp(min=0)
        start, low = places.gather(1, before), values.gather(1, before)
        width, rise = places.gather(1, after) - start, values.gather(1, after) - low
        part = (inside - start) / torch.where(width > 0, width, 1.0)
        return bounded(low + part * rise, scores)


def _blocks(scores: Numbers, is_real: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """Centres and log ratios (b,) of a trial's blocks, from its sorted scores and their kinds. O(n)."""
    from scipy.optimize import isotonic_regression  # here: it is slow to import

    starts = np.flatnonzero(np.diff(scores, prepend=-np.inf))  # equal scores are one point
    real = np.add.reduceat(is_real.astype(np.float64), starts)
    fake = np.diff(starts, append=len(scores)) - real
    # One more real point below all, one more generated point above all.
    real, fake = np.concatenate(([1.0], real, [0.0])), np.concatenate(([0.0], fake, [1.0]))
    real, fake = real / real.sum(), fake / fake.sum()
    weight = real + fake
    edges = isotonic_regression(real / weight, weights=weight).blocks
    ratios = np.log(np.add.reduceat(real, edges[:-1])) - np.log(np.add.reduceat(fake, edges[:-1]))
    weight[[0, -1]] = 0.0  # neither of the two has a place
    up_to = np.cumsum(weight)
    ends = up_to[edges[1:] - 1]
    halfway = (ends + np.concatenate(([0.0], ends[:-1]))) / 2
    middle = np.searchsorted(up_to, halfway)
    return scores[starts[middle - 1]], np.maximum.accumulate(ratios)
