"""The faults of a campaign: each strikes a sweep that runs, or what lies there after one that was killed."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from tests.campaign.stage import Command, Stage

__all__ = ["KINDS", "Fault", "Kind", "Scene"]

T = TypeVar("T")

Where = Literal["alone", "server", "cluster"]
"""What a launch needs: nothing, the tracking server between it and its store, or a cluster."""


@dataclass
class Scene:
    """What a fault may use: the stage, a launch that runs or was ``killed``, and dice."""

    stage: Stage
    command: Command
    dice: random.Random
    killed: bool = False

    def awaits(self, found: Callable[[], list[T]], seconds: float = 60.0) -> list[T]:
        """Processes or files as soon as there are some; none if the launch ends before."""
        deadline = time.monotonic() + seconds
        while self.command.running and time.monotonic() < deadline:
            there = found()
            if there:
                return there
            time.sleep(0.1)
        return []


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        strike: does it, and tells whether there was something to strike.
        where: what the launch needs.
        lethal: whether the driver is killed first, and the fault done to what it left.
        needs: the files that it is done to; it waits until there are some.
        heal: undoes it some seconds later, or when the launch has ended.
        may_end: whether the command may end with a sentence for it, and a later one goes on.
    """

    name: str
    words: str
    strike: Callable[[Scene], bool]
    where: Where = "alone"
    lethal: bool = False
    needs: Callable[[Stage], list[Path]] | None = None
    heal: Callable[[Scene], None] | None = None
    may_end: bool = False


@dataclass
class Fault:
    """One of a kind, at a moment: seconds after the one before it, and until it is healed."""

    kind: Kind
    after: float
    lasts: float


def _kill_one(*names: str) -> Callable[[Scene], bool]:
    """SIGKILL to one of the processes of the launch that have one of these names in their command lines."""

    def strike(scene: Scene) -> bool:
        found = scene.awaits(lambda: [pid for name in names for pid in scene.command.processes(name)])
        if not found:
            return False
        with suppress(ProcessLookupError):
            os.kill(scene.dice.choice(found), signal.SIGKILL)
            return True
        return False

    return strike


def _order(kind: str, times: int) -> Callable[[Scene], bool]:
    """Have the saboteur go wrong; whether it did is seen when the launch is over."""

    def strike(scene: Scene) -> bool:
        (scene.stage.orders / f"{kind}.{times}").touch()
        return True

    return strike


def _node(scene: Scene) -> bool:
    scene.stage.kill_node()
    scene.stage.add_node()
    return True


def _server(scene: Scene) -> bool:
    scene.stage.kill_server()
    return True


def _disk(scene: Scene) -> bool:
    scene.stage.fill()
    return True


def _damage(file: Path, dice: random.Random) -> None:
    """Cut short, overwritten in the middle, or emptied: what crashes and bad disks leave."""
    data = bytearray(file.read_bytes())
    way = dice.choice(("cut", "overwritten", "empty")) if data else "empty"
    if way == "cut":
        data = data[: dice.randrange(len(data))]
    elif way == "overwritten":
        start = dice.randrange(len(data))
        data[start : start + 64] = bytes(dice.randrange(256) for _ in data[start : start + 64])
    else:
        data.clear()
    file.write_bytes(data)


def _checkpoints(stage: Stage) -> list[Path]:
    return sorted((stage.home / "checkpoints").glob("*/*.pt"))


def _studies(stage: Stage) -> list[Path]:
    return sorted((stage.home / "checkpoints" / "studies").glob("*.json"))


def _checkpoint(scene: Scene) -> bool:
    """The newest state of all."""
    states = _checkpoints(scene.stage)
    if not states:
        return False
    _damage(max(states, key=lambda file: file.stat().st_mtime), scene.dice)
    return True


def _state(scene: Scene) -> bool:
    """What a search or the rungs keep beside the checkpoints."""
    states = _studies(scene.stage)
    if not states:
        return False
    _damage(scene.dice.choice(states), scene.dice)
    return True


KINDS = {
    kind.name: kind
    for kind in (
        Kind("driver", "SIGKILL of the driver", lambda scene: True, lethal=True),
        # Tune gives a lane that has resources another name.
        Kind("worker", "SIGKILL of a worker", _kill_one("ray::Lane", "ray::ResourceTrainable")),
        Kind("raylet", "SIGKILL of the raylet", _kill_one("raylet/raylet")),
        Kind("gcs", "SIGKILL of Ray's head (GCS)", _kill_one("gcs/gcs_server")),
        Kind("node", "a node lost, another added", _node, "cluster"),
        Kind(
            "server",
            "SIGKILL of the MLflow server",
            _server,
            "server",
            heal=lambda scene: scene.stage.start_server(),
            may_end=True,
        ),
        Kind("disk", "a full disk", _disk, heal=lambda scene: scene.stage.make_room(), may_end=True),
        Kind("nan", "a loss that is NaN", _order("nan", 1)),
        Kind("raise", "an evaluation that raises", _order("raise", 2)),
        Kind("checkpoint", "the newest checkpoint damaged", _checkpoint, lethal=True, needs=_checkpoints),
        Kind("state", "a state file torn", _state, lethal=True, needs=_studies),
    )
}
