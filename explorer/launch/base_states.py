"""The states of the bases at which the trials of a pack begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from explorer.launch.packing import PlannedTrial
from trainables.faults import Fault

if TYPE_CHECKING:
    from trainables.training.checkpoints import CheckpointFolder
    from trainables.training.rows import TrialState

__all__ = ["base_states", "unfit"]


def base_states(
    trials: Sequence[PlannedTrial], checkpoints: CheckpointFolder
) -> tuple[list[TrialState | None], dict[str, Fault]]:
    """One state per trial, None for one without a base, each base loaded once; and faults of trials without theirs."""
    found: dict[str, TrialState | str] = {}
    states: list[TrialState | None] = []
    faults: dict[str, Fault] = {}
    for trial in trials:
        start = trial.config.start
        if start is None:
            states.append(None)
            continue
        if start.base not in found:
            found[start.base] = _load(start.base, trial.base, checkpoints)
        state = found[start.base]
        if isinstance(state, str):
            faults[trial.id] = Fault(state, "base")
        else:
            states.append(state)
    return states, faults


def _load(base: str, iteration: int, checkpoints: CheckpointFolder) -> TrialState | str:
    """The state of a base, or why there is none. An earlier state than the final one will not do."""
    from trainables.training.checkpoints import Unreadable

    try:
        state = checkpoints.state(base, iteration) if iteration else None
    except Unreadable as fault:
        return f"its base {base} cannot be read: {fault}"
    gone = (
        f"the final state of its base {base} is gone, so that it cannot begin; run again to train that anew"
    )
    return gone if state is None else state


def unfit(trial: PlannedTrial, why: Exception) -> Fault:
    """A base that has other networks than the trial."""
    base = trial.config.start.base if trial.config.start is not None else "?"
    return Fault(
        f"its base {base} does not fit: {why}; begin at a trial of the same model and dataset", "base"
    )
