"""What is known of the trials of a pack while it is worked on: how far they are, what was measured, what it cost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.launch.clock import Clock
from explorer.launch.histories import from_state, to_state
from explorer.launch.meter import Meter
from explorer.launch.packing import PlannedTrial

if TYPE_CHECKING:
    from trainables.evaluation.reading import Evaluation
    from trainables.training.checkpoints import CheckpointFolder
    from trainables.training.population import Population
    from trainables.training.rows import TrialState

__all__ = ["PackBooks"]


class PackBooks:
    """Kept in memory, and beside every trial's state in its checkpoints, from which it is taken up again."""

    def __init__(
        self, trials: Sequence[PlannedTrial], checkpoints: CheckpointFolder, gpus: float, clock: Clock
    ) -> None:
        """``gpus``: how many cards the pack holds, or which part of one."""
        self._planned = {trial.id: trial.start for trial in trials}
        self._at = dict(self._planned)
        self._histories: dict[str, list[Evaluation]] = {trial.id: [] for trial in trials}
        self._earlier: dict[str, list[Evaluation]] = {}
        self._meter = Meter(list(self._planned), gpus)
        self._checkpoints = checkpoints
        self._clock = clock
        self._saved = time.monotonic()

    @property
    def reached(self) -> int:
        """Iterations that the trials have behind them since the pack was planned."""
        return sum(max(0, at - self._planned[trial]) for trial, at in self._at.items())

    @property
    def since_saved(self) -> float:
        """Seconds since a checkpoint was written."""
        return time.monotonic() - self._saved

    def at(self, trial: str) -> int:
        """The iteration at which a trial stands."""
        return self._at[trial]

    def take_up(self, trials: Sequence[PlannedTrial], states: Mapping[str, TrialState], here: int) -> None:
        """Trials stand here, those that have states by their own checkpoints.

        What was measured before a checkpoint is remembered, and told of once more: the driver may not have heard it.
        """
        for trial in trials:
            self._at[trial.id] = here
            state = states.get(trial.id)
            if state is None:
                continue
            self._meter.take_up(trial.id, state)
            if "history" in state and not self._histories[trial.id]:
                known = [one for one in from_state(state["history"]) if one.iteration < here]
                self._histories[trial.id] = known
                self._earlier[trial.id] = list(known)

    def told_again(self) -> dict[str, list[Evaluation]]:
        """What checkpoints knew of, since the last call."""
        earlier, self._earlier = self._earlier, {}
        return earlier

    def train(self, population: Population, trials: Sequence[PlannedTrial], iterations: int) -> float:
        """Train the population of these trials for so many iterations → the seconds that it took."""
        spent = self._meter.train(population, [trial.id for trial in trials], iterations)
        self._clock.add({"training": spent})
        for trial in trials:
            self._at[trial.id] = population.iteration
        return spent

    def save(self, population: Population, trials: Sequence[PlannedTrial]) -> None:
        """Checkpoints of all of them, where they stand."""
        states = zip(trials, population.states(), strict=True)
        with self._clock.on("checkpoints"):
            self._checkpoints.save({trial.id: {**state, **self._beside(trial.id)} for trial, state in states})
        self._saved = time.monotonic()

    def _beside(self, trial: str) -> TrialState:
        return {"seconds": self._meter.account(trial), "history": to_state(self._histories[trial])}

    def histories(self, trials: Sequence[str]) -> dict[str, list[Evaluation]]:
        """What was measured of some trials on their way, in the order of iterations."""
        return {trial: self._histories[trial] for trial in trials}

    def add(self, trial: str, evaluation: Evaluation) -> None:
        """A history has one evaluation an iteration: what was repeated after a fault counts once."""
        history = self._histories[trial]
        if history and history[-1].iteration >= evaluation.iteration:
            history[:] = [one for one in history if one.iteration < evaluation.iteration]
        history.append(evaluation)

    def metered(self, trial: str, evaluation: Evaluation) -> Evaluation:
        """An evaluation, with what training the trial has cost so far."""
        if not evaluation.readings:
            return evaluation
        spent = self._meter.diagnostics(trial)
        return replace(evaluation, diagnostics={**evaluation.diagnostics, **spent})
