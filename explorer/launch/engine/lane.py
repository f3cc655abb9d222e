"""A lane: one process with its share of the cluster that works on one pack after the other. To Ray Tune it is a trial.

Tune gives it its place and starts it again where its process or its node is lost. Resume does not rest on Tune's
checkpoints: every trial of ours has its own, found by identity.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import ray
from ray import tune

from explorer.launch.engine.exchange import NAME
from explorer.launch.engine.keeper import files_here
from explorer.launch.engine.messages import Put, Verdict
from explorer.launch.faults import may_pass
from explorer.launch.pack_work import PackWork
from trainables.faults import reason_of

__all__ = ["Lane"]

LONGEST_STEP = 10.0
"""Seconds after which Tune hears of a lane."""
IDLE = 60.0
"""Seconds without a pack after which a lane gives its place back."""


class Lane(tune.Trainable):
    """Works on packs until there are none."""

    def setup(self, config: dict[str, Any]) -> None:
        """What every pack needs is loaded while the first is on its way."""
        with suppress(Exception):  # a pack that needs what cannot be loaded tells why
            import trainables.evaluation.evaluate
            import trainables.training.population  # noqa: F401
        self._exchange: Any = ray.get_actor(NAME)
        self._pack = ""
        self._work: PackWork | None = None
        self._offer: Put | bool = True
        self._idle_since = time.monotonic()

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """The process of a lane that is over serves the next."""
        self.cleanup()
        self.setup(new_config)
        return True

    def step(self) -> dict[str, Any]:
        """Work for some seconds; ``done`` when there is nothing more to do."""
        until = time.monotonic() + LONGEST_STEP
        over = False
        while not over and time.monotonic() < until:
            over = self._begin() if self._work is None else self._stride(self._work)
        return {"done": over}

    def _begin(self) -> bool:
        """Take up the pack that was offered, or fetch one; whether the lane is over."""
        order, self._offer = self._offer, True
        if order is True:
            order = ray.get(self._exchange.next.remote(self.trial_id, LONGEST_STEP))
        if not isinstance(order, Put):
            return not order or time.monotonic() - self._idle_since > IDLE
        begun = self._exchange.begin.remote(self.trial_id, order.pack)  # meanwhile it is made ready
        work, fault = None, None
        try:
            files = files_here(order.config["storage"], order.config.get("mark", ""), self._exchange)
            work = order.config.get("work", PackWork)(order.config, _shipped(), files)
        except Exception as error:
            fault = error
        if not ray.get(begun):
            return False  # too late: another has it
        self._pack, self._work = order.pack, work
        if fault is not None:
            self._fault(fault)
        return False

    def _stride(self, work: PackWork) -> bool:
        """A stride of the pack; whether the lane is over."""
        try:
            result = work.step()
            if result["done"]:
                self._offer = ray.get(self._exchange.tell_last.remote(self.trial_id, self._pack, result))
                self._end()
                return False
            if ray.get(self._exchange.tell.remote(self._pack, result)):
                work.save()
                ray.get(self._exchange.tell.remote(self._pack, {"saved": True}))
                self._end()
                return True
            if work.waiting:
                return self._await_verdict(work)
        except ray.exceptions.RayError:
            raise
        except Exception as error:
            self._fault(error)
        return False

    def _await_verdict(self, work: PackWork) -> bool:
        answer: Verdict | bool = True
        while answer is True:
            answer = ray.get(self._exchange.verdict.remote(self._pack, LONGEST_STEP))
        if not isinstance(answer, Verdict):  # what waits at a rung is saved
            ray.get(self._exchange.tell.remote(self._pack, {"saved": True}))
            self._end()
            return True
        work.decide(answer)
        return False

    def _fault(self, error: Exception) -> None:
        """What a new process may do better is raised, so that Tune makes one; anything else ends the pack."""
        pack = self._pack
        self._end()
        if may_pass(error):
            ray.get(self._exchange.fail.remote(pack, reason_of(error)))
            raise error
        ray.get(self._exchange.tell.remote(pack, {"failed": reason_of(error), "done": True}))

    def _end(self) -> None:
        work, self._work = self._work, None
        self._pack, self._idle_since = "", time.monotonic()
        if work is not None:
            work.close()

    def cleanup(self) -> None:
        """End what a pack had others do: the lane is stopped."""
        self._end()

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Nothing: see the module."""

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Nothing: see the module."""


def _shipped() -> bool:
    """Whether Ray brought the user's modules along."""
    return "py_modules" in ray.get_runtime_context().runtime_env
