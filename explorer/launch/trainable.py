"""A pack as Ray Tune sees it: trains in short strides, so that progress shows and a stop is heard."""

from __future__ import annotations

import pickle
import time
from typing import Any

from ray import tune

from explorer.launch.packing import Pack

__all__ = ["PackTrainable"]

_STRIDE_SECONDS = 1.5
_CHECKPOINT_SECONDS = 30.0


class PackTrainable(tune.Trainable):
    """Trains one pack; results carry ``iteration`` and, at evaluations, ``payload``: pickled ``{trial: Evaluation}``.

    Resume does not rest on Tune's own checkpoints: every trial has its own, found by identity.
    """

    def setup(self, config: dict[str, Any]) -> None:
        """Start, or start again after a failure: at the first step, since Tune retries steps but not a set-up."""
        self._waiting: dict[str, Any] | None = config

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Take on another pack in the same process."""
        self._waiting = new_config
        return True

    def _begin(self, config: dict[str, Any]) -> None:
        import torch

        from trainables.training.checkpoints import CheckpointFolder
        from trainables.training.population import Population

        torch.set_num_threads(max(1, int(config["cpus"])))
        self._pack = Pack.from_json(config["pack"])
        self._checkpoints = CheckpointFolder(config["storage"])
        ids = [trial.id for trial in self._pack.trials]
        common, states = self._checkpoints.load_common(ids)
        self._population = Population(
            [trial.config for trial in self._pack.trials], states, "cuda" if config["gpus"] else "cpu"
        )
        training = self._pack.trials[0].config.training
        self._end = training.iterations
        self._every = self._pack.trials[0].config.evaluation.every
        self._rate = 0.0
        self._trained = 0.0
        self._saved = time.monotonic()
        # An evaluation made at the checkpoint may not have reached the tracker: repeat it.
        self._due = common > 0 and (common % self._every == 0 or common >= self._end)

    def step(self) -> dict[str, Any]:
        """Train until the next evaluation, but not longer than a stride."""
        if self._waiting is not None:
            self._begin(self._waiting)
            self._waiting = None
        population = self._population
        if not self._due:
            mark = min(self._end, (population.iteration // self._every + 1) * self._every)
            stride = max(1, int(self._rate * _STRIDE_SECONDS)) if self._rate else 10
            began = time.monotonic()
            chunk = min(mark - population.iteration, stride)
            population.advance(chunk)
            if population.device.type == "cuda":
                import torch

                torch.cuda.synchronize()
            spent = time.monotonic() - began
            self._rate, self._trained = chunk / max(spent, 1e-6), self._trained + spent
        at_end = population.iteration >= self._end
        evaluating = self._due or at_end or population.iteration % self._every == 0
        if evaluating or time.monotonic() - self._saved > _CHECKPOINT_SECONDS:
            self._checkpoint()
        result: dict[str, Any] = {"iteration": population.iteration, "done": at_end}
        if evaluating:
            result["payload"] = self._evaluate(at_end)
        self._due = False
        return result

    def _checkpoint(self) -> None:
        states = {trial.id: self._population.state(i) for i, trial in enumerate(self._pack.trials)}
        self._checkpoints.save(states)
        self._saved = time.monotonic()

    def _evaluate(self, final: bool) -> bytes:
        from trainables.training.evaluation import evaluate

        share = self._trained / len(self._pack.trials)
        evaluations = evaluate(self._population, final)
        for evaluation in evaluations:
            if evaluation.metrics:
                evaluation.metrics["train_seconds"] = share
        return pickle.dumps(dict(zip((t.id for t in self._pack.trials), evaluations, strict=True)))

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Nothing: see the class."""

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Nothing: see the class."""
