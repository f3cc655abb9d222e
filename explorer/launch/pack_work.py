"""The work on one pack, whoever asks for it: trains in short strides, so that progress shows and a stop is heard."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from explorer.launch.earlier import Stop
from explorer.launch.packing import Pack, PlannedTrial

if TYPE_CHECKING:
    from trainables.evaluation.reading import Evaluation
    from trainables.training.population import Population

__all__ = ["PackWork"]

_STRIDE_SECONDS = 1.5
_CHECKPOINT_SECONDS = 30.0

Told = dict[str, "tuple[Evaluation, Stop | None]"]


class PackWork:
    """Trains one pack, or only reads it again, from wherever its checkpoints left it.

    Results of steps carry ``iteration``, how many trials are ``alive`` to reach it, ``done`` and, at evaluations,
    ``payload``: pickled ``{trial: (Evaluation, Stop or None)}``.
    """

    def __init__(self, config: dict[str, Any], shipped: bool = False) -> None:
        """``config``: the pack as JSON, the folder of checkpoints, what it gets of the machine, the stopper's mark.

        ``shipped``: whether Ray brought the user's modules along.
        """
        self._told = self._begin(config, shipped)

    def _begin(self, config: dict[str, Any], shipped: bool) -> Told:
        """Build the population; what a stopper had ended before is read at once."""
        import torch

        from trainables.training.checkpoints import CheckpointFolder

        torch.set_num_threads(max(1, int(config["cpus"])))
        pack, self._orders = Pack.from_json(config["pack"], shipped)
        self._device = "cuda" if config["gpus"] else "cpu"
        self._stopper = config["stopper"]
        self._checkpoints = CheckpointFolder(config["storage"])
        self._end, self._every = pack.trials[0].end, self._orders.plan.evaluation.every
        self._histories: dict[str, list[Evaluation]] = {trial.id: [] for trial in pack.trials}
        self._rate = 0.0
        self._seconds = dict.fromkeys(self._histories, 0.0)
        told: Told = {}
        self._trials: list[PlannedTrial] = []
        for trial in pack.trials:
            stop = Stop.parse(self._checkpoints.note(trial.id))
            if stop is not None and stop.by == self._stopper and stop.iteration <= self._end:
                alone, iteration = self._population([trial])
                if iteration == stop.iteration:
                    told |= {trial.id: (self._evaluate(alone, [trial], final=True)[0], stop)}
                    continue
            self._trials.append(trial)
        if self._trials:
            self._pack_population, common = self._population(self._trials)
            # An evaluation made at the checkpoint may not have reached the tracker: repeat it.
            self._due = common > 0 and (common % self._every == 0 or common >= self._end)
        self._saved = time.monotonic()
        return told

    def _population(self, trials: Sequence[PlannedTrial]) -> tuple[Population, int]:
        from trainables.training.population import Population

        common, states = self._checkpoints.load_common([trial.id for trial in trials])
        return Population([trial.config for trial in trials], states, self._device), common

    def step(self) -> dict[str, Any]:
        """Train until the next evaluation, but not longer than a stride."""
        told, self._told = self._told, {}
        if not self._trials:
            return {"iteration": self._end, "alive": 0, "done": True, "payload": pickle.dumps(told)}
        population = self._pack_population
        if not self._due:
            self._train(population)
        at_end = population.iteration >= self._end
        evaluating = self._due or at_end or population.iteration % self._every == 0
        if not self._due and (evaluating or time.monotonic() - self._saved > _CHECKPOINT_SECONDS):
            self._checkpoint()
        result: dict[str, Any] = {
            "iteration": population.iteration,
            "alive": len(self._trials),
            "done": at_end,
        }
        if evaluating:
            evaluations = self._evaluate(population, self._trials, at_end)
            told |= {t.id: (e, None) for t, e in zip(self._trials, evaluations, strict=True)}
            if not at_end:
                told |= self._stop(told)
                result["done"] = not self._trials
        if told:
            result["payload"] = pickle.dumps(told)
        self._due = False
        return result

    def _train(self, population: Population) -> None:
        mark = min(self._end, (population.iteration // self._every + 1) * self._every)
        stride = max(1, int(self._rate * _STRIDE_SECONDS)) if self._rate else 10
        began = time.monotonic()
        chunk = min(mark - population.iteration, stride)
        population.advance(chunk)
        if population.device.type == "cuda":
            import torch

            torch.cuda.synchronize()
        spent = time.monotonic() - began
        self._rate = chunk / max(spent, 1e-6)
        for trial in self._trials:
            self._seconds[trial.id] += spent / len(self._trials)

    def _stop(self, told: Told) -> Told:
        """Ask the stopper; trials it ends are read as at their end and leave the pack."""
        for trial in self._trials:
            self._histories[trial.id].append(told[trial.id][0])
        alive = {t.id: self._histories[t.id] for t in self._trials if not told[t.id][0].diverged}
        reasons = self._orders.stopping.stop(alive, self._orders.goals)
        rows = [i for i, trial in enumerate(self._trials) if trial.id in reasons]
        if not rows:
            return {}
        population, ended = self._pack_population, [self._trials[i] for i in rows]
        evaluations = self._evaluate(population.keep(rows), ended, final=True)
        out: Told = {}
        for trial, evaluation in zip(ended, evaluations, strict=True):
            stop = Stop(population.iteration, self._stopper, reasons[trial.id])
            self._checkpoints.set_note(trial.id, stop.text())
            out[trial.id] = (evaluation, stop)
        rest = [i for i in range(len(self._trials)) if i not in rows]
        self._trials = [self._trials[i] for i in rest]
        if rest:
            self._pack_population = population.keep(rest)
        return out

    def _checkpoint(self) -> None:
        states = {trial.id: self._pack_population.state(i) for i, trial in enumerate(self._trials)}
        self._checkpoints.save(states)
        self._saved = time.monotonic()

    def _evaluate(
        self, population: Population, trials: Sequence[PlannedTrial], final: bool
    ) -> list[Evaluation]:
        from trainables.evaluation.evaluate import evaluate

        return [
            self._timed(trial, evaluation)
            for trial, evaluation in zip(trials, evaluate(population, self._orders.plan, final), strict=True)
        ]

    def _timed(self, trial: PlannedTrial, evaluation: Evaluation) -> Evaluation:
        """With the trial's share of the seconds its pack was trained, where it was trained at all."""
        seconds = self._seconds[trial.id]
        if not evaluation.readings or not seconds:
            return evaluation
        return replace(evaluation, diagnostics={**evaluation.diagnostics, "train_seconds": seconds})
