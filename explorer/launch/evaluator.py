"""Evaluates the trials of a pack; where memory runs out, once more with what can be given back."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.launch.clock import Clock

if TYPE_CHECKING:
    from trainables.evaluation.reading import Evaluation
    from trainables.evaluation.settings import ReadingPlan
    from trainables.training.population import Population

__all__ = ["Evaluator", "give_back"]


class Evaluator:
    """Reads populations on one device as one plan says."""

    def __init__(self, plan: ReadingPlan, device: str, clock: Clock) -> None:
        self._plan = plan
        self._device = device
        self._clock = clock

    def of(self, population: Population, final: bool, trained: Population) -> list[Evaluation]:
        """An evaluation of every trial; one for which there was too little memory is tried again alone.

        Args:
            final: whether it is the one at their end.
            trained: the population that is being trained, of which this one may be a part; it is closed if its memory
                is needed, and builds up again what it needs.
        """
        from trainables.evaluation.evaluate import evaluate

        with self._clock.on("evaluation"):
            found = evaluate(population, self._plan, final)
            short = self._short(found)
            if short:
                trained.close()
                give_back(self._device)
            for row in short:
                alone = population if len(found) == 1 else population.keep([row])
                (found[row],) = evaluate(alone, self._plan, final)
        return found

    def _short(self, found: Sequence[Evaluation]) -> list[int]:
        """Trials for whose evaluation there was too little memory, where more can be had."""
        rows = [i for i, one in enumerate(found) if one.fault is not None and one.fault.kind == "memory"]
        return [] if len(found) == 1 and self._device == "cpu" else rows


def give_back(device: str) -> None:
    """Memory of a card that nobody needs any more; elsewhere it goes by itself."""
    import torch

    if device == "cuda":
        gc.collect()
        torch.cuda.empty_cache()
