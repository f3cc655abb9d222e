"""Samplers of trials that are over, left beside their states by whoever has read them: what models are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trainables.faults import reason_of, spoils_device
from trainables.training.state_files import SAMPLER, StateFiles

if TYPE_CHECKING:
    from trainables.evaluation.reading import Evaluation
    from trainables.training.population import Population

__all__ = ["SamplerFiles"]


class SamplerFiles:
    """Writes them where checkpoints lie, unless they are too large; one that cannot be kept costs its trial nothing."""

    def __init__(self, files: StateFiles, largest: int, say: Callable[[str], None]) -> None:
        """``largest``: bytes of one, 0 where none are wanted. ``say`` hears of those that are left out."""
        self._files = files
        self._largest = largest
        self._say = say

    def keep(self, population: Population, trials: Sequence[str], found: Sequence[Evaluation]) -> None:
        """Those of trials that were evaluated for good, in the order of the population."""
        from trainables.samplers.keeping import kept_samplers, kept_size

        sound = [one.ratios is not None and one.fault is None for one in found]
        if not self._largest or not any(sound):
            return
        size = kept_size(population)
        try:
            if size > self._largest:
                self._leave_out(trials, size)
                return
            made = kept_samplers(population, [one.ratios for one in found])
            chosen = [(t, data) for t, data, good in zip(trials, made, sound, strict=True) if good and data]
            self._files.each(lambda one: self._files.write(one[0], SAMPLER, one[1]), chosen)
        except Exception as error:
            if spoils_device(error):
                raise
            self._say(f"models of {_named(trials)} are left out: they cannot be kept ({reason_of(error)})")

    def _leave_out(self, trials: Sequence[str], size: int) -> None:
        """Too large; what an earlier reading left goes too, since it is no model of this one."""
        self._files.each(lambda trial: self._files.remove(trial, SAMPLER), trials)
        words = f"{size / 1e6:,.0f}" if size >= 1e7 else f"{size / 1e6:.2g}"
        self._say(
            f"models of {_named(trials)} are left out: each has {words} MB, more than tracking.largest = "
            f"{self._largest / 1e6:,g}; raise it to keep them"
        )


def _named(trials: Sequence[str]) -> str:
    return f"trial {trials[0]}" if len(trials) == 1 else f"{len(trials)} trials from {trials[0]} on"
