"""Gaussian processes and the expected improvement of the hypervolume, by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.optuna_search import STARTUP, OptunaSearch

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Gp"]


@dataclass(frozen=True)
class Gp(OptunaSearch):
    """Gaussian processes of the objectives; slow to suggest, for searches of few points."""

    name: ClassVar[str] = "gp"

    @property
    def startup(self) -> int:
        """As Optuna has it."""
        return STARTUP

    def sampler(self, seed: int) -> BaseSampler:
        """As ``points.sampled`` makes it."""
        from explorer.search.points.sampled import gp_sampler

        return gp_sampler(seed, self.startup)
