"""What a fault of a whole pack means: whether to start it again, and its reason in one line."""

from __future__ import annotations

from trainables.faults import reason_of, spoils_device

__all__ = ["death_of", "may_pass"]


_NO_MEMORY = (
    "its process was killed: its node ran out of memory; lower resources.pack, or run fewer packs at once"
)


def may_pass(error: Exception) -> bool:
    """Whether the same pack may do better in a new process: after files that could not be read or written, and devices
    that cannot be trusted any more. Everything else would come again, and is looked into where it happens."""
    return isinstance(error, OSError) or spoils_device(error)


def death_of(error: BaseException | None, words: str = "") -> str:
    """Why the process of a pack ended, in one line: what it raised, or how it was killed.

    Ray wraps what a process raised. For one that was killed it has pages on what may be the cause; of these, here is
    what it knows. ``words``: what it said where it gave no ``error``.
    """
    cause = getattr(error, "cause", None)
    if isinstance(cause, BaseException):
        return reason_of(cause)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if error is not None and "RayError" not in kinds:
        return reason_of(error)
    words = str(error) if error is not None else words
    if "running low on memory" in words:
        return _NO_MEMORY
    if "node has died" in words:
        return "its node was lost"
    return "its process was killed or crashed, perhaps for want of memory; see Ray's logs"
