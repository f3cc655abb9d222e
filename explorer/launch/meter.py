"""What training costs every trial of a pack: seconds, its share of a card, memory, and how fast samples pass."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainables.config import TrainingConfig

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.training.population import Population
    from trainables.training.rows import TrialState

__all__ = ["Meter", "samples"]

_GIB = float(1 << 30)


def samples(training: TrainingConfig, iteration: int) -> int:
    """Generated samples that a trial has been trained with: a batch a critic step, and one a generator step."""
    whole = max(0, iteration - training.critic_first)
    return training.batch_size * (training.critic_steps * iteration + whole)


@dataclass
class _Spent:
    """Of one trial: its share of the seconds, in all and since it last started, and of the memory.

    A pack of T trials is trained in s seconds; the share of each is s/T.
    """

    seconds: float = 0.0
    gpu_seconds: float = 0.0
    lately: float = 0.0
    samples: int = 0
    gib: float = 0.0


class Meter:
    """Trains populations and keeps the accounts of their trials."""

    def __init__(self, trials: Sequence[str], gpus: float) -> None:
        """``gpus``: how many cards the pack holds, or which part of one."""
        self._gpus = gpus
        self._spent = {trial: _Spent() for trial in trials}

    def take_up(self, trial: str, state: TrialState) -> None:
        """Go on from the account in a trial's checkpoint; older ones have none."""
        if "seconds" in state:
            own = self._spent[trial]
            seconds, gpu_seconds = state["seconds"].tolist()
            # What was trained here and lost again took its time all the same.
            own.seconds, own.gpu_seconds = max(own.seconds, seconds), max(own.gpu_seconds, gpu_seconds)

    def account(self, trial: str) -> Tensor:
        """(2,) what :meth:`take_up` needs: seconds of training in all, and those of a card."""
        import torch

        own = self._spent[trial]
        return torch.tensor([own.seconds, own.gpu_seconds], dtype=torch.float64)

    def train(self, population: Population, trials: Sequence[str], iterations: int) -> float:
        """Train the population of these trials for so many iterations → the seconds that it took."""
        import torch

        card = population.device if population.device.type == "cuda" else None
        training, before = population.configs[0].training, population.iteration
        if card is not None:
            torch.cuda.reset_peak_memory_stats(card)
        began = time.monotonic()
        population.advance(iterations)
        if card is not None:
            torch.cuda.synchronize(card)
        spent = time.monotonic() - began
        share = spent / len(trials)
        for own in (self._spent[trial] for trial in trials):
            own.seconds += share
            own.lately += share
            own.samples += samples(training, population.iteration) - samples(training, before)
            if card is not None:
                own.gpu_seconds += share * self._gpus
                own.gib = max(own.gib, torch.cuda.max_memory_allocated(card) / _GIB / len(trials))
        return spent

    def diagnostics(self, trial: str) -> dict[str, float]:
        """What is known of a trial, by the keys of the catalogue."""
        own = self._spent[trial]
        found = {
            "train_seconds": own.seconds,
            "gpu_seconds": own.gpu_seconds,
            "samples_per_second": own.samples / own.lately if own.lately else 0.0,
            "device_memory": own.gib,
        }
        return {name: value for name, value in found.items() if value}
