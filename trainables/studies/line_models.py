"""Models of the mixture `TARGET` on the line that show one failure each: too wide, too narrow, modes misweighted.

The thesis draws such pairs in figures 3.4 to 3.9 and 3.13 and does not print their parameters; these are ours.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.ratio_law import RatioLaw
from trainables.sources.mixture import GaussianMixture
from trainables.studies.gaussian_fit import TARGET
from trainables.studies.line import Line, density

__all__ = ["DIVERSE", "MISWEIGHTED", "PRECISE", "line_curve", "line_masses"]


def _mixture(means: list[float], weights: list[float], sigma: float) -> GaussianMixture:
    return GaussianMixture(
        torch.tensor(means, dtype=torch.float64)[:, None], torch.tensor(weights, dtype=torch.float64), sigma
    )


DIVERSE = _mixture([0.0], [1.0], 5.0)
"""N(0, 5²): both modes, the gap between them and the plains around."""

PRECISE = _mixture([-3.0], [1.0], 0.6)
"""N(-3, 0.6²): the heavier mode alone, and of that one side."""

MISWEIGHTED = _mixture([-3.0, 2.5], [0.25, 0.75], 1.4)
"""0.25 N(-3, 1.4²) + 0.75 N(2.5, 1.4²): the support of the target, and another density."""


def line_masses(model: GaussianMixture, nodes: int = 3001) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes x of a quadrature and the masses p of `TARGET` and q of the model on them, shapes (nodes,)."""
    line = Line.around(0.0, 5.0, 45.0, nodes)
    return line.x, line.masses(density(TARGET, line.x)), line.masses(density(model, line.x))


def line_curve(model: GaussianMixture, lambdas: Any) -> PRCurve:
    """The exact PR curve of the model against `TARGET` at trade-offs in [0, ∞]."""
    _, p, q = line_masses(model)
    return RatioLaw.from_masses(p, q).curve(lambdas)
