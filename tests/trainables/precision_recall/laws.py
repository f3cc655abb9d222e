"""Strategies for random discrete laws, with zeros, ties and tiny masses."""

from __future__ import annotations

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

__all__ = ["law_pairs", "trade_offs"]

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
