"""The base of a trial among the trials of an earlier sweep: the one of its seed, dataset and model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.folders import default_tracking_uri
from explorer.store.addresses import shown_address
from explorer.sweep.members import build_trial
from trainables.config import TrialConfig, flatten
from trainables.datasets import Dataset
from trainables.family import Member
from trainables.models import Model

if TYPE_CHECKING:
    from explorer.results.table import Trial

__all__ = ["EarlierBases"]

_LISTED = 6
"""Candidates that are named where there are several."""


@dataclass(frozen=True)
class EarlierBases:
    """The trials of an earlier sweep, looked up in the tracking store (None: the default one) when first asked for."""

    sweep: str
    uri: str | None
    experiment: str

    @cached_property
    def _finished(self) -> Sequence[Trial]:
        from explorer.results.store import ResultStore

        store = ResultStore(self.uri or default_tracking_uri(), self.experiment, fresh=True)
        known = {info.name for info in store.sweeps()} if store.exists() else set()
        if self.sweep not in known:
            held = f"it holds {', '.join(sorted(known)[:_LISTED])}" if known else "it holds none yet"
            raise UserError(
                f"start.from must be base, the identity of a trial (12 hex digits) or an earlier sweep of "
                f"{shown_address(store.uri)}, got '{self.sweep}'; {held}"
            )
        return store.table(self.sweep).finished().trials

    @cached_property
    def _rebuilt(self) -> dict[str, TrialConfig | None]:
        """Trials that were found before, by identity."""
        return {}

    def find(self, dataset: Dataset, model: Model, seed: int) -> tuple[str, TrialConfig | None]:
        """The one finished trial with this seed, dataset and model that was trained, not only read.

        Its identity, and the trial itself where its parameters give that identity again.
        """
        trials = [
            one
            for one in self._finished
            if one.seed == seed
            and one.params.get("training.iterations") != 0
            and _alike({"dataset": dataset, "model": model}, one.params)
        ]
        found = [one.id for one in trials]
        if len(found) == 1:
            if found[0] not in self._rebuilt:
                self._rebuilt[found[0]] = _rebuilt(trials[0])
            return found[0], self._rebuilt[found[0]]
        what = f"dataset '{dataset.name}' and model '{model.name}' as here"
        if not found:
            raise UserError(
                f"start.from: sweep '{self.sweep}' has no finished trial with seed {seed}, {what}; finish it, "
                "or use base and a section 'base'"
            )
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        raise UserError(
            f"start.from: sweep '{self.sweep}' has {len(found)} trials with seed {seed}, {what}; name one by its "
            f"identity: {', '.join(found[:_LISTED])}{more}"
        )


def _rebuilt(trial: Trial) -> TrialConfig | None:
    """A stored trial as a config; None if it cannot be made, or is another: versions and plugins come and go."""
    sections: dict[str, dict[str, Any]] = {}
    for path, value in trial.params.items():
        section, _, name = path.partition(".")
        if name:
            listed = isinstance(value, str) and value.startswith("[")
            sections.setdefault(section, {})[name] = json.loads(str(value)) if listed else value
    try:
        built = build_trial(sections, trial.seed or 0)
    except (UserError, ValueError, KeyError):
        return None
    return built if built.identity() == trial.id else None


def _alike(wanted: Mapping[str, Member], stored: Mapping[str, Any]) -> bool:
    """Whether a stored trial has these members by section; a field that it does not know was at its default."""
    for section, member in wanted.items():
        mine = flatten({section: member.plain()})
        theirs = {path: value for path, value in stored.items() if path.partition(".")[0] == section}
        unlike = any(mine.get(path) != value for path, value in theirs.items())
        needed = {f"{section}.name", *(f"{section}.{name}" for name in member.changed())}
        if unlike or any(path in mine and path not in theirs for path in needed):
            return False
    return True
