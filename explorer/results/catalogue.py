"""What is known of every number a trial may have: titles, directions, bounds. Read from the sweep, not from code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from explorer.store.foreign import clean, load_json
from trainables.evaluation.diagnostics import COSTS, DIAGNOSTICS
from trainables.metrics import every_metric
from trainables.metrics.metric import Direction, Entry
from trainables.refinements import REFINEMENTS

__all__ = ["BASE", "LAMBDA", "LAMBDAS", "PARAMETERS", "STAGE", "Catalogue", "built_in", "reads_as_metric"]

LAMBDA, LAMBDAS = "objective.lam", "objective.lams"
"""Dotted paths of λ, and of the range of it that one model is trained for."""

BASE = "start.from"
"""Which base a trial began at: another one for every seed."""

STAGE = "start.kind"
"""What the bases of all seeds have in common; trials without it, beside trials with it, are bases."""

INFINITE = 1.7e308
"""No number of a metric is as great; MLflow stores an infinite one as the greatest float."""

PARAMETERS = {LAMBDA: "λ"}
"""Parameters that have a sign of their own."""


@dataclass(frozen=True)
class Catalogue:
    """Entries by key, and what each refinement does in one sentence.

    A metric that is not in it is shown under its key, and has no direction and no bounds.

    Attributes:
        entries: metrics and diagnostics.
        methods: refinements, each with its sentence.
        fields: ``section.member.field`` → sentence, of members that are not this package's own.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        entries: Iterable[Entry],
        methods: Mapping[str, str] | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> Catalogue:
        """A catalogue in the order given."""
        return cls({entry.key: entry for entry in entries}, methods or {}, fields or {})

    @classmethod
    def from_json(cls, text: str | bytes | None) -> Catalogue | None:
        """What a sweep's run holds, without the entries that are none; None if it is no catalogue at all."""
        raw = load_json(text)
        if not isinstance(raw, dict) or not isinstance(raw.get("metrics"), list):
            return None
        entries = [entry for one in raw["metrics"] if (entry := _entry(one)) is not None]
        if raw["metrics"] and not entries:
            return None
        return cls.of(entries, _texts(raw.get("methods")), _texts(raw.get("fields")))

    def to_json(self) -> str:
        """For the sweep's run."""
        plain = {
            "metrics": [entry.plain() for entry in self.entries.values()],
            "methods": dict(self.methods),
            "fields": dict(self.fields),
        }
        return json.dumps(plain, ensure_ascii=False, indent=1)

    def title(self, name: str) -> str:
        """Reader's name of a metric or parameter: ``Precision``, ``λ``; other names stay as they are."""
        entry = self.entries.get(name)
        return entry.title if entry else PARAMETERS.get(name, name)

    def direction(self, key: str) -> Direction | None:
        """Where better lies, if it is known."""
        entry = self.entries.get(key)
        return entry.direction if entry else None

    def bounds(self, key: str) -> tuple[float | None, float | None]:
        """Least and greatest value a metric can take; None where there is no bound, or none is known."""
        entry = self.entries.get(key)
        return (entry.low, entry.high) if entry else (None, None)

    def is_diagnostic(self, key: str) -> bool:
        """Whether it tells how training went, or what a reading cost."""
        entry = self.entries.get(key)
        return entry is not None and entry.diagnostic

    def ordered(self, keys: Iterable[str]) -> list[str]:
        """Keys as a table has them: metrics in the catalogue's order, unknown ones by name, diagnostics last."""
        present = set(keys)
        known = [key for key in self.entries if key in present]
        worth = [key for key in known if not self.entries[key].diagnostic]
        return [
            *worth,
            *sorted(present - set(known)),
            *(key for key in known if self.entries[key].diagnostic),
        ]


@cache
def built_in() -> Catalogue:
    """All that the members of this version measure."""
    measured = [entry for metric in every_metric() for entry in metric.entries]
    methods = {name: kind.summary() for name, kind in REFINEMENTS.loaded().items()}
    return Catalogue.of([*measured, *COSTS, *DIAGNOSTICS], methods)


def reads_as_metric(heading: str, catalogue: Catalogue) -> bool:
    """Whether a column of a table is taken for a metric by its heading alone; Optuna's are ``values_0``, …"""
    return heading.startswith(("metric:", "values_")) or heading in catalogue.entries


def _entry(raw: object) -> Entry | None:
    """An entry from JSON, None if it is none; keys that a later version may add are passed over."""
    if not isinstance(raw, dict):
        return None
    texts = {name: raw.get(name, "") for name in ("key", "title", "sentence", "unit")}
    direction, low, high = (raw.get(name) for name in ("direction", "low", "high"))
    if not all(isinstance(text, str) for text in texts.values()) or not texts["key"] or not texts["title"]:
        return None
    if direction not in ("max", "min", None) or not (_is_bound(low) and _is_bound(high)):
        return None
    named = {name: clean(text) for name, text in texts.items()}
    return Entry(**named, direction=direction, low=low, high=high, diagnostic=raw.get("diagnostic") is True)


def _texts(raw: object) -> dict[str, str]:
    """Texts by name, without what is none."""
    told = raw if isinstance(raw, dict) else {}
    return {clean(name): clean(words) for name, words in told.items() if isinstance(words, str)}


def _is_bound(value: object) -> bool:
    """No bound, or a finite number."""
    return value is None or (
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < INFINITE
    )
