"""A pack as Ray Tune sees it."""

from __future__ import annotations

from typing import Any

import ray
from ray import tune

from explorer.launch.faults import may_pass
from explorer.launch.pack_work import PackWork
from trainables.faults import reason_of

__all__ = ["PackTrainable"]


class PackTrainable(tune.Trainable):
    """Work on one pack after the other in one process.

    Resume does not rest on Tune's own checkpoints: every trial has its own, found by identity.
    """

    def setup(self, config: dict[str, Any]) -> None:
        """Start, or start again after a failure: at the first step, since Tune retries steps but not a set-up."""
        self._waiting: dict[str, Any] | None = config
        self._work: PackWork | None = None

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """Take on another pack in the same process."""
        self.cleanup()
        self._waiting = new_config
        return True

    def step(self) -> dict[str, Any]:
        """A stride of the work; what a new process may do better is Tune's, any other fault of all ends it at once."""
        try:
            if self._waiting is not None:
                self._work = PackWork(self._waiting, shipped=_shipped())
                self._waiting = None
            assert self._work is not None  # made at the first step
            return self._work.step()
        except Exception as error:
            if may_pass(error):
                raise
            return {"done": True, "failed": reason_of(error)}

    def cleanup(self) -> None:
        """End what the pack had others do: it is over, or is stopped."""
        if self._work is not None:
            self._work.close()

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """Nothing: see the class."""

    def load_checkpoint(self, checkpoint: Any) -> None:
        """Nothing: see the class."""


def _shipped() -> bool:
    """Whether Ray brought the user's modules along; asking Ray where none runs would start one."""
    return ray.is_initialized() and "py_modules" in ray.get_runtime_context().runtime_env
