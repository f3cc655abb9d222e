"""What went wrong with one trial, in a sentence; and which faults are nobody's in particular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Fault", "FaultKind", "fault_of", "reason_of", "spoils_device"]

FaultKind = Literal["raised", "diverged", "memory", "state", "base", "process", "node"]
"""An exception of its own; numbers that are not finite, so that it would end the same way again; memory; a checkpoint
that is gone or cannot be read; its base; the process that trained it; the node of that."""

_LONGEST = 1000

_DEVICE_WORDS = ("CUDA error", "cuDNN error", "CUBLAS_STATUS", "CUDNN_STATUS", "CUSOLVER_STATUS")
"""How libraries on a device that raise a plain RuntimeError begin."""

_ADVICE = "Set TORCHDYNAMO_VERBOSE"
"""How the last lines of errors begin that torch met when it compiled; the cause is in the first."""


@dataclass(frozen=True)
class Fault:
    """Why a trial cannot go on.

    Attributes:
        reason: one sentence.
        kind: what faults of one cause share.
    """

    reason: str
    kind: FaultKind = "raised"


def fault_of(error: BaseException) -> Fault:
    """The fault behind an exception."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    short = isinstance(error, MemoryError) or "OutOfMemoryError" in kinds
    return Fault(reason_of(error), "memory" if short else "raised")


def reason_of(error: BaseException) -> str:
    """An exception in one line: its kind and the last line of what it says, if it says anything.

    What torch's compiler adds about its own settings is not it.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if any(line.startswith(_ADVICE) for line in lines):
        lines = lines[:1]
    if not lines and isinstance(error, MemoryError):
        lines = ["there was none left"]
    return ": ".join([type(error).__name__, *lines[-1:]])[:_LONGEST]


def spoils_device(error: BaseException) -> bool:
    """Whether nothing on the device can be trusted after this fault, so that only a new process helps.

    Memory that ran out is no such fault: what asked for too much was given nothing. Torch's exceptions are known by
    name: whoever only looks at results never loads it.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "OutOfMemoryError" in kinds:
        return False
    if "AcceleratorError" in kinds:
        return True
    return isinstance(error, RuntimeError) and any(word in str(error) for word in _DEVICE_WORDS)
