"""What imported runs say of themselves on MLflow's pages, as those do that were trained here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from explorer.portrait.descriptions import trial_description
from explorer.portrait.names import searchable
from explorer.portrait.summary import stored_summary
from explorer.results.naming import Naming
from explorer.results.table import Scalar

if TYPE_CHECKING:
    from explorer.tracking import Intake

__all__ = ["Portrayal", "sum_up"]

Stage = Callable[[str], None]


class Portrayal:
    """Of trials that others made, by what varies among them."""

    def __init__(self, points: Sequence[Mapping[str, Scalar]]) -> None:
        naming = Naming.of(points)
        self._name, self._varied = searchable(naming), frozenset(naming.headings)

    def name(self, params: Mapping[str, Scalar]) -> str:
        """What a run is called that has no name of its own; empty where nothing varies."""
        return self._name(params)

    def note(self, name: str, params: Mapping[str, Scalar], pictured: bool = False) -> str:
        """Its description; no command of ours repeats it."""
        return trial_description(name, params, self._varied, "", pictured)


def sum_up(intake: Intake, uri: str, experiment: str, sweep: str, stage: Stage) -> tuple[str, ...]:
    """Have the sweep's own run tell of the trials that are there now; gives what could not be told.

    It is done at every import, also of nothing new: one that was killed just before may have left it undone.
    """
    stage("summing up")
    faults: list[str] = []
    intake.announce()  # so that what is known of the sweep from before is read again
    found = stored_summary(uri, experiment, sweep, faults.append)
    if found is not None:
        intake.summarise(found)
    return tuple(faults)
