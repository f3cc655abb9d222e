"""Random discrete laws, and what "holds" and "does not hold" mean for a formula evaluated on them."""

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.precision_recall import curve_discrete

SHARP = 1e-9
CLEAR = 1e-2


def random_pairs(count: int = 4, atoms: int = 6, seed: int = 0) -> list[tuple[Tensor, Tensor]]:
    """Pairs (p, q) of full support, neither close to each other nor close to the border; shapes (atoms,)."""
    generator = torch.Generator().manual_seed(seed)
    draws = torch.rand(count, 2, atoms, generator=generator, dtype=torch.float64) ** 2 + 0.02
    return [(law[0], law[1]) for law in draws / draws.sum(-1, keepdim=True)]


over_pairs = pytest.mark.parametrize(("p", "q"), random_pairs())


def holds(left: Tensor | float, right: Tensor | float, tolerance: float = SHARP) -> None:
    """Both sides agree, everywhere, to `tolerance` relative to their size (absolute below 1)."""
    gap, scale = _gap(left, right)
    assert float((gap / scale).max()) <= tolerance, f"{left} is not {right}"


def fails(left: Tensor | float, right: Tensor | float, margin: float = CLEAR) -> None:
    """The sides differ somewhere by at least `margin` relative to their size, or one of them is NaN or infinite."""
    gap, scale = _gap(left, right)
    assert not float((gap / scale).max()) < margin, f"{left} should not be {right}"


def _gap(left: Tensor | float, right: Tensor | float) -> tuple[Tensor, Tensor]:
    a, b = torch.as_tensor(left, dtype=torch.float64), torch.as_tensor(right, dtype=torch.float64)
    return (a - b).abs(), torch.maximum(a.abs(), b.abs()).clamp(min=1.0)


def precision_at(p: Tensor, q: Tensor, lam: float) -> float:
    """α_λ of two probability vectors, by the product's curve."""
    return float(curve_discrete(p, q, np.array([lam])).precision[0])


def recall_at(p: Tensor, q: Tensor, lam: float) -> float:
    """β_λ of two probability vectors, by the product's curve."""
    return float(curve_discrete(p, q, np.array([lam])).recall[0])


def legendre(panels: int, low: float, high: float) -> tuple[Tensor, Tensor]:
    """Nodes and weights of a Gauss-Legendre rule of 8 nodes on each of the equal panels of [low, high]."""
    x, w = np.polynomial.legendre.leggauss(8)
    half = (high - low) / panels / 2
    centres = low + half * (2 * np.arange(panels) + 1)
    return torch.as_tensor((centres[:, None] + half * x).ravel()), torch.as_tensor(np.tile(half * w, panels))
