"""What a fault of a whole pack means: whether to start it again, and its reason in one line."""

from __future__ import annotations

from trainables.faults import reason_of, spoils_device

__all__ = ["death_of", "may_pass"]


def may_pass(error: Exception) -> bool:
    """Whether the same pack may do better in a new process: after files that could not be read or written, and devices
    that cannot be trusted any more. Everything else would come again, and is looked into where it happens."""
    return isinstance(error, OSError) or spoils_device(error)


def death_of(error: BaseException | None) -> str:
    """Why a pack was given up, in one line: Ray wraps what a process raised, and has words for one that died."""
    if error is None:
        return "its pack died without a word; see Ray's logs"
    cause = getattr(error, "cause", None)
    return reason_of(cause if isinstance(cause, BaseException) else error)
