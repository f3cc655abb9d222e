"""The ratio of a flow's density to the known law of the data: exact, without a critic."""

from __future__ import annotations

from torch import Tensor

from trainables.samplers.sampler import Sampler
from trainables.samplers.trained import Ratio
from trainables.sources.law import Law
from trainables.training.networks import Networks

__all__ = ["density_ratio"]


def density_ratio(sampler: Sampler, law: Law) -> Ratio:
    """log p - log q of points, with the law's density and the model's own."""
    if not sampler.has_density:
        raise ValueError(
            "the ratio is known from densities where the model has one, and this one has none; use the critic, or a "
            "classifier that is fitted after training"
        )

    def ratio(networks: Networks, points: Tensor, given: list[Tensor]) -> Tensor:
        return law.log_prob(points) - sampler.log_prob(networks, points, given)

    return ratio
