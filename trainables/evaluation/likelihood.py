"""What models that have a density say of real samples that training has not seen."""

from __future__ import annotations

from math import log, log2, prod

import torch
from torch import Tensor

from trainables.sources.source import Batch
from trainables.training.population import Population

__all__ = ["likelihood"]


def likelihood(population: Population, unseen: Batch) -> dict[str, Tensor]:
    """``nll``, mean -log q in nats (T,), and of data in grey levels ``bits_per_dim`` (T,); nothing without a density.

    ``unseen``: x (T, n, *shape) as the population gives them, levels of distance δ spread by uniform noise as wide.
    The probability of a level is then about q δ^D, so that bits per dimension are -log2 q / D - log2 δ (Theis, van den
    Oord & Bethge 2016: an upper bound on those of the discrete model). NaN where q is not finite.
    """
    if not population.has_density:
        return {}
    nll = -population.log_prob(unseen).double().mean(dim=1)
    nll = torch.where(torch.isfinite(nll), nll, torch.nan)
    quantum = population.source.quantum
    if quantum is None:
        return {"nll": nll}
    return {"nll": nll, "bits_per_dim": nll / (prod(population.source.shape) * log(2)) - log2(quantum)}
