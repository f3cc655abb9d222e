"""From trials to packs: groups of equal shape and equal starting point, of balanced size."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from trainables.config import TrialConfig

__all__ = ["Pack", "PlannedTrial", "make_packs"]

_TRIAL: TypeAdapter[TrialConfig] = TypeAdapter(TrialConfig)


@dataclass(frozen=True)
class PlannedTrial:
    """A trial to be trained, from iteration ``start`` of its own checkpoint (0: from scratch)."""

    id: str
    config: TrialConfig
    start: int = 0

    @property
    def remaining(self) -> int:
        """Iterations still to go."""
        return self.config.training.iterations - self.start


@dataclass(frozen=True)
class Pack:
    """Trials trained side by side."""

    trials: tuple[PlannedTrial, ...]

    def to_json(self) -> str:
        """Text that crosses processes; see ``from_json``."""
        return json.dumps([{"id": t.id, "start": t.start, "config": asdict(t.config)} for t in self.trials])

    @staticmethod
    def from_json(text: str) -> Pack:
        """What ``to_json`` wrote, validated again."""
        rows: list[Mapping[str, Any]] = json.loads(text)
        return Pack(
            tuple(
                PlannedTrial(row["id"], _TRIAL.validate_python(row["config"]), row["start"]) for row in rows
            )
        )


def make_packs(trials: Iterable[PlannedTrial], limit: int) -> list[Pack]:
    """Packs of at most ``limit`` trials; sizes within a group differ by one at most. O(N)."""
    groups: dict[tuple[str, int], list[PlannedTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.config.shape(), trial.start), []).append(trial)
    packs = []
    for members in groups.values():
        count = -(-len(members) // limit)
        packs += [Pack(tuple(members[i::count])) for i in range(count)]
    return packs
