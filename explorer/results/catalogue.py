"""What is known of every number a trial may have: titles, directions, bounds. Read from the sweep, not from code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from trainables.evaluation.diagnostics import COSTS, DIAGNOSTICS
from trainables.metrics import every_metric
from trainables.metrics.metric import Direction, Entry
from trainables.refinements import REFINEMENTS

__all__ = ["LAMBDA", "PARAMETERS", "Catalogue", "built_in"]

LAMBDA = "objective.lam"
"""Dotted path of λ."""

PARAMETERS = {LAMBDA: "λ"}
"""Parameters that have a sign of their own."""


@dataclass(frozen=True)
class Catalogue:
    """Entries by key, and what each refinement does in one sentence.

    A metric that is not in it is shown under its key, and has no direction and no bounds.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry], methods: Mapping[str, str] | None = None) -> Catalogue:
        """A catalogue in the order given."""
        return cls({entry.key: entry for entry in entries}, methods or {})

    @classmethod
    def from_json(cls, text: str | bytes | None) -> Catalogue:
        """What a sweep's run holds; one of an older layout, or a damaged one, gives what this version knows."""
        try:
            raw = json.loads(text or "")
            methods = {str(name): str(words) for name, words in raw.get("methods", {}).items()}
            return cls.of((_entry(one) for one in raw["metrics"]), methods)
        except (ValueError, TypeError, KeyError, AttributeError):
            return built_in()

    def to_json(self) -> str:
        """For the sweep's run."""
        plain = {"metrics": [entry.plain() for entry in self.entries.values()], "methods": dict(self.methods)}
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


def _entry(raw: Mapping[str, Any]) -> Entry:
    """An entry from JSON; keys that a later version may add are passed over."""
    known = {f.name for f in fields(Entry)}
    entry = Entry(**{"sentence": "", **{key: value for key, value in raw.items() if key in known}})
    if not isinstance(entry.key, str) or not isinstance(entry.title, str):
        raise TypeError("an entry needs a key and a title")
    if not all(isinstance(bound, int | float | None) for bound in (entry.low, entry.high)):
        raise TypeError("bounds are numbers")
    if entry.direction not in ("max", "min", None):
        raise ValueError(f"a direction is 'max' or 'min', got {entry.direction!r}")
    return entry
