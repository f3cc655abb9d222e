"""How long a launch would take on the cores of this machine, roughly: Ray's start, training, evaluations.

Small models spend most of their time between operations, in Python. How fast that is differs by a factor of four from
machine to machine, so it is measured, by a loop of a few hundredths of a second, and all that is not arithmetic is
reckoned in turns of that loop. What the parts take in turns was measured on two cores with packs of small perceptrons.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cache

from explorer.launch.cost import CPU_FLOPS, work
from explorer.launch.packing import Pack
from trainables.evaluation.settings import ReadingPlan

__all__ = ["expected_seconds", "seconds_per_turn"]

START = 60e6
"""Turns until Ray has started, its lanes have loaded what they need, and all has ended again."""
STEP = 35e3
"""Turns of a step of the critic or of the generator, beside its arithmetic; of a whole pack, however large."""
READING, READING_SAMPLE = 3e5, 300.0
"""Turns of reading one trial at one budget, and for every sample; of points. Features of images are not reckoned."""
CURVE = 2.2e6
"""Turns of the curve of a trial against a law that is known."""
_LOOP = 100_000


@cache
def seconds_per_turn() -> float:
    """How long a turn of an empty loop takes here; the best of three, since others may be at work."""
    return min(_timed() for _ in range(3)) / _LOOP


def _timed() -> float:
    total, began = 0, time.perf_counter()
    for turn in range(_LOOP):
        total += turn
    return time.perf_counter() - began


def expected_seconds(
    packs: Iterable[Pack], plan: ReadingPlan, slots: int, cpus: float, turn: float
) -> float | None:
    """Seconds of a launch of ``packs``, ``slots`` at once with ``cpus`` each; None where a model does not tell its
    size.

    Packs follow each other in the slots that are free first, so that the last may be alone for a while.
    """
    ends = [0.0] * slots
    for pack in packs:
        arithmetic = [work(trial.config, trial.start, trial.end) for trial in pack.trials]
        if None in arithmetic:
            return None
        operations = sum(operations for operations in arithmetic if operations)
        taken = operations / (CPU_FLOPS * max(1.0, cpus)) + turn * _turns(pack, plan)
        first = ends.index(min(ends))
        ends[first] += taken
    return START * turn + max(ends)


def _turns(pack: Pack, plan: ReadingPlan) -> float:
    first = pack.trials[0]
    training = first.config.training
    critic_alone = max(0, min(first.end, training.critic_first) - first.start)
    steps = critic_alone * training.critic_steps
    steps += (first.remaining - critic_alone) * (training.critic_steps + 1)
    return STEP * steps + len(pack.trials) * _reading_turns(pack, plan)


def _reading_turns(pack: Pack, plan: ReadingPlan) -> float:
    """Of one trial of a pack, from where it is to its end."""
    first, evaluation = pack.trials[0], plan.evaluation
    between = max(0, (first.end - 1) // evaluation.every - first.start // evaluation.every)
    readings = between + len(plan.readings()) * evaluation.repeats
    curve = CURVE if first.config.dataset.has_law else 0.0
    return readings * (READING + READING_SAMPLE * evaluation.samples) + curve
