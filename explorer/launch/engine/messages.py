"""What the driver of a sweep and the process in which Ray runs say to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from explorer.launch.faults import Death
from explorer.launch.slots import Slots
from explorer.sweep.plugins import Plugin
from explorer.sweep.resources import ResourceSpec

__all__ = [
    "Alive",
    "Close",
    "Decide",
    "Died",
    "Event",
    "Failed",
    "Lost",
    "Opening",
    "Put",
    "Ready",
    "Refused",
    "Request",
    "Stop",
    "Taken",
    "Told",
    "Verdict",
]


@dataclass(frozen=True)
class Opening:
    """The first word to the process of Ray: which cluster, what a pack gets of it, which modules to bring along.

    ``storage``: the folder, if it is one, that this node keeps for those that do not see it. ``packs``: how many are to
    be expected, so that lanes for them start meanwhile.
    """

    address: str | None
    resources: ResourceSpec
    plugins: tuple[Plugin, ...] = ()
    storage: str | None = None
    packs: int = 0


@dataclass(frozen=True)
class Verdict:
    """What becomes of trials that came to a rung in their pack.

    Attributes:
        go_on: where each that goes on in this pack ends next, and whether that is its end.
        stop: why each that is ended here is; it is read as at its end.
    Others leave the pack as they are, saved: they go on in another, or are read there.
    """

    go_on: dict[str, tuple[int, bool]] = field(default_factory=dict)
    stop: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Put:
    """Work on a pack."""

    pack: str
    config: dict[str, Any]


@dataclass(frozen=True)
class Decide:
    """What becomes of the trials of a pack that wait at a rung."""

    pack: str
    verdict: Verdict


@dataclass(frozen=True)
class Stop:
    """Every pack is saved as soon as it can be, and ends."""


@dataclass(frozen=True)
class Close:
    """There is nothing more to do."""


Request = Put | Decide | Stop | Close


@dataclass(frozen=True)
class Ready:
    """Ray runs: what it carries, and how many cards a pack gets."""

    slots: Slots
    gpus: float


@dataclass(frozen=True)
class Refused:
    """Ray does not run, for a reason that is the user's to mend."""

    reason: str


@dataclass(frozen=True)
class Taken:
    """A lane begins a pack."""

    pack: str
    lane: str


@dataclass(frozen=True)
class Told:
    """What a stride of a pack found; see :class:`~explorer.launch.pack_work.PackWork`."""

    pack: str
    result: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """A pack ended with an error; in another process it may do better."""

    pack: str
    reason: str


@dataclass(frozen=True)
class Died:
    """The process of a lane is no more, with whatever pack it had; another is started in its place."""

    lane: str
    death: Death


@dataclass(frozen=True)
class Lost:
    """What lanes and driver meet at is no more, so that nothing can go on: all has to be started again."""

    death: Death


@dataclass(frozen=True)
class Alive:
    """A sign of life."""


Event = Ready | Refused | Taken | Told | Failed | Died | Lost | Alive
