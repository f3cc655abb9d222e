"""Sajjadi, Bachem, Lucic, Bousquet and Gelly, Assessing Generative Models via Precision and Recall, 2018."""

import torch
from torch import Tensor

from tests.errata.laws import fails, holds, over_pairs


@over_pairs
def test_remainders_of_lemma_1(p: Tensor, q: Tensor) -> None:
    """Lemma 1 allows β = 1 and sets ν_P = (P - βμ)/(1-β), which is 0/0 there; then P = μ, and any law will do."""
    for beta in (0.3, 0.9):
        mu = p / 2 + torch.full_like(p, 0.5 / len(p))
        beta *= float((p / mu).min())
        rest = (p - beta * mu) / (1 - beta)
        holds(beta * mu + (1 - beta) * rest, p)
        assert float(rest.min()) >= -1e-12
    printed = (p - 1.0 * p) / torch.zeros(())  # β = 1, so μ = P
    fails(1.0 * p + 0.0 * printed, p)
    holds(1.0 * p + 0.0 * q, p)
