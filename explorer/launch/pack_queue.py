"""What of a pack is still to be done, in parts: the trials of one go to one end together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from explorer.launch.packing import PlannedTrial

__all__ = ["PackQueue"]


class PackQueue:
    """Parts in the order in which they are worked on; the first is at work."""

    def __init__(self, trials: Iterable[PlannedTrial]) -> None:
        self._parts = _by_end(trials)

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def first(self) -> Sequence[PlannedTrial]:
        """The trials of the part at work."""
        return self._parts[0]

    def cut(self, parts: Iterable[Sequence[PlannedTrial]]) -> None:
        """The part at work is these instead, one after the other; trials that are in none are gone."""
        self._parts[0:1] = [list(part) for part in parts if part]

    def leave_out(self, name: str) -> PlannedTrial:
        """Take one trial out of the part at work."""
        trial = next(trial for trial in self.first if trial.id == name)
        self.cut([[other for other in self.first if other.id != name]])
        return trial

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some trials of the part at work; with none, with the next part."""
        self.cut([[self.first[i] for i in rows]])

    def set_ends(self, ends: Mapping[str, tuple[int, bool]]) -> None:
        """Trials of the part at work go to other ends, and are final there or not."""
        for i, trial in enumerate(self.first):
            if trial.id in ends:
                end, final = ends[trial.id]
                self._parts[0][i] = replace(trial, end=end, final=final)

    def divide(self, over: Collection[str]) -> PlannedTrial | None:
        """The part at work is to be tried in halves, without those that are over; one that was alone is taken out."""
        raised = self._parts.pop(0)
        trials = [trial for trial in raised if trial.id not in over]
        if len(raised) == 1 and trials:
            return trials[0]
        middle = len(trials) // 2
        self._parts[0:0] = [*_by_end(trials[:middle]), *_by_end(trials[middle:])]
        return None


def _by_end(trials: Iterable[PlannedTrial]) -> list[list[PlannedTrial]]:
    groups: dict[tuple[int, bool], list[PlannedTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.end, trial.final), []).append(trial)
    return [groups[end] for end in sorted(groups)]
