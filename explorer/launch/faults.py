"""What a fault of a pack means: whether it would come again, and its reason in one line."""

from __future__ import annotations

from explorer.errors import UserError

__all__ = ["is_lasting", "reason_of"]


def is_lasting(error: Exception) -> bool:
    """Whether a fault would come again: wrong values and shapes do, memory, files and devices may not."""
    if isinstance(error, RuntimeError):
        return "CUDA" not in str(error) and "memory" not in str(error)
    lasting = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, UserError, ValueError)
    return isinstance(error, lasting)


def reason_of(error: BaseException | None) -> str:
    """Why a pack died, in one line."""
    if error is None:
        return "its pack died without a word; see Ray's logs"
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).strip().splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[-1] if lines else ''}"[:500]
