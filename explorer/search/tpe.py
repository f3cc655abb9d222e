"""Tree-structured Parzen estimators (Bergstra et al. 2011), by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.optuna_search import STARTUP, OptunaSearch

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Tpe"]


@dataclass(frozen=True)
class Tpe(OptunaSearch):
    """Parzen estimators of good and bad points, over all objectives at once."""

    name: ClassVar[str] = "tpe"
    everywhere: ClassVar[bool] = False

    @property
    def startup(self) -> int:
        """As Optuna has it."""
        return STARTUP

    def sampler(self, seed: int) -> BaseSampler:
        """As ``points.sampled`` makes it."""
        from explorer.search.points.sampled import tpe_sampler

        return tpe_sampler(seed, self.startup)
