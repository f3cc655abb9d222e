"""What a check finds, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Finding", "State", "Subject", "size_words"]

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True)
class Finding:
    """One sentence on one thing.

    Attributes:
        about: what was looked at, in a word or two.
        state: a ``note`` is worth knowing and keeps nothing from running; a ``problem`` does, or misleads.
        sentence: what was found.
        remedy: what the user can do about it.
        repair: does that, and returns what it did in a sentence; None where the user must.
    """

    about: str
    state: State
    sentence: str
    remedy: str = ""
    repair: Callable[[], str] | None = field(default=None, compare=False, repr=False)

    def document(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        return {
            "about": self.about,
            "state": self.state,
            "sentence": self.sentence,
            "remedy": self.remedy,
            "repairable": self.repair is not None,
        }


@dataclass(frozen=True)
class Subject:
    """What is examined.

    Attributes:
        uri: address of the tracking store.
        experiment: the one to look into, all of them if None.
        sweep: the one whose runs and places are looked at, all of them if None.
        address: the Ray cluster that was named, None for the one of RAY_ADDRESS, if any.
        deep: also start Ray, and load torch where there is no GPU to ask for.
        storages: what sweeps name as ``resources.storage``; None is the usual place.
        tell: hears what is done now, where that takes a while.
    """

    uri: str
    experiment: str | None = None
    sweep: str | None = None
    address: str | None = None
    deep: bool = False
    storages: Sequence[str | None] = (None,)
    tell: Callable[[str], None] = field(default=lambda told: None, compare=False, repr=False)


def size_words(size: float) -> str:
    """``1.2 GB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
