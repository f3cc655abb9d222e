"""Nine samples of P and nine of P̂ with one outlier each, on which precision and recall are misled and others are not.

The thesis prints of its figure 3.12, at k = 3: precision 8/9, recall 7/9, density 4/9 from the counts
0, 1, 1, 1, 1, 1, 2, 2, 3 of real balls around the fakes, coverage 3/9. It does not print the samples. These were found
by a random search for samples that give every one of these numbers, with no sample close to the edge of a ball.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["NEIGHBOURS", "Outliers", "outliers"]

NEIGHBOURS = 3

_REAL = (
    (0.4, 2.3), (-0.9, -0.3), (0.9, 1.5), (-0.1, 1.4), (1.9, 2.5), (2.2, 1.7), (-1.2, 0.9), (0.0, 0.3), (4.9, 0.9),
)  # fmt: skip
_FAKE = (
    (2.7, 2.7), (5.3, 4.2), (4.5, 2.4), (3.7, 1.8), (3.5, 3.6), (3.6, 2.6), (3.6, 4.5), (4.8, 3.2), (-0.5, 4.2),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Outliers:
    """``real`` (9, 2) and ``fake`` (9, 2); the last of each is its outlier."""

    real: Tensor
    fake: Tensor


def outliers() -> Outliers:
    """The samples, float64."""
    return Outliers(torch.tensor(_REAL, dtype=torch.float64), torch.tensor(_FAKE, dtype=torch.float64))
