"""What a fault of a whole pack means: whether to start it again, and its reason in one line."""

from __future__ import annotations

from dataclasses import dataclass

from trainables.faults import FaultKind, fault_of, spoils_device

__all__ = ["Death", "death_of", "may_pass"]


@dataclass(frozen=True)
class Death:
    """How the process of a pack ended: for want of memory, with its node, or by itself; and why, in one line."""

    kind: FaultKind
    reason: str


def may_pass(error: Exception) -> bool:
    """Whether the same pack may do better in a new process: after files that could not be read or written, and devices
    that cannot be trusted any more. Everything else would come again, and is looked into where it happens."""
    return isinstance(error, OSError) or spoils_device(error)


def death_of(error: BaseException | None, words: str = "") -> Death:
    """Why the process of a pack ended: what it raised, or how it was killed.

    Ray wraps what a process raised. For one that was killed it has pages on what may be the cause; of these, here is
    what it knows. ``words``: what it said where it gave no ``error``.
    """
    cause = getattr(error, "cause", None)
    if isinstance(cause, BaseException):
        return death_of(cause)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if error is not None and "RayError" not in kinds:
        fault = fault_of(error)
        return Death("memory" if fault.kind == "memory" else "process", fault.reason)
    words = str(error) if error is not None else words
    if "running low on memory" in words:
        return Death(
            "memory",
            "its process was killed: its node ran out of memory; lower resources.pack, or run fewer packs at once",
        )
    if "node has died" in words:
        return Death("node", "its node was lost")
    return Death("process", "its process was killed or crashed, perhaps for want of memory; see Ray's logs")
