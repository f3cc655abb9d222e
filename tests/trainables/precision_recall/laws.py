"""Laws to test on: random discrete ones, with zeros, ties and tiny masses, and normal ones."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import assume
from hypothesis import strategies as st

from trainables.precision_recall import RatioLaw

__all__ = ["Pair", "law_of", "law_pairs", "normal", "trade_offs"]

Pair = tuple[np.ndarray, np.ndarray]

trade_offs = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.0, 1.0, 0.5, 2.0]))
_masses = st.one_of(st.just(0.0), st.sampled_from([0.25, 0.5, 1.0]), st.floats(1e-6, 1.0))


@st.composite
def law_pairs(draw: st.DrawFn, max_size: int = 12, positive: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Two probability vectors of one length; ``positive`` keeps every entry away from 0."""
    size = draw(st.integers(1 if not positive else 2, max_size))
    entry = st.floats(1e-3, 1.0) if positive else _masses
    pair = []
    for _ in range(2):
        values = np.array(draw(st.lists(entry, min_size=size, max_size=size)))
        assume(values.sum() > 0)
        pair.append(values / values.sum())
    return pair[0], pair[1]


def law_of(pair: Pair) -> RatioLaw:
    """The law of the ratio of a pair."""
    return RatioLaw.from_masses(torch.tensor(pair[0]), torch.tensor(pair[1]))


def normal(mean: float, scale: float) -> torch.distributions.Normal:
    """N(mean, scale²) in float64."""
    return torch.distributions.Normal(torch.tensor(mean).double(), torch.tensor(scale).double())
