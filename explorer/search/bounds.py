"""Constraints on metrics: what a point must reach to count as a good one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Bound", "parse_bounds"]

_FORM = re.compile(r"\s*(>=|<=)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class Bound:
    """A metric is at least, or at most, a limit."""

    metric: str
    at_least: bool
    limit: float

    def excess(self, value: float) -> float:
        """By how much a value misses the limit; at most 0 where it does not."""
        return self.limit - value if self.at_least else value - self.limit


def parse_bounds(raw: Mapping[str, str]) -> tuple[Bound, ...]:
    """``{"recall": ">= 0.3"}`` → bounds, in the order given."""
    return tuple(_bound(metric, text) for metric, text in raw.items())


def _bound(metric: str, text: str) -> Bound:
    found = _FORM.fullmatch(text)
    limit = float(found[2]) if found else math.nan
    if found is None or not math.isfinite(limit):
        raise ValueError(
            f"search.constraints: '{metric}' must be held by '>=' or '<=' and a number, such as '>= 0.3', got '{text}'"
        )
    return Bound(metric, found[1] == ">=", limit)
