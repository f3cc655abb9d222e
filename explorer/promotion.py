"""Trials that somebody promoted: marked in the tracking store, by a word and the time, for whoever looks later."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from explorer.errors import UserError, shown
from explorer.results.store import ResultStore
from explorer.store.foreign import clean, load_json
from explorer.store.schema import PROMOTED
from explorer.tracking.promotion import write_promotion

__all__ = ["CHAMPION", "Promotion", "demote", "promote", "promotion_of"]

CHAMPION = "champion"
"""The word, if none is given."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")
LONGEST = 200
"""Characters of what others may have written there, as far as it is shown."""


@dataclass(frozen=True)
class Promotion:
    """A mark on a trial: by which word, and when; no time where others wrote the tag."""

    tag: str
    at: datetime | None = None

    def words(self) -> str:
        """For people: ``champion since 31 January 2026``."""
        if self.at is None:
            return self.tag
        return f"{self.tag} since {self.at.day} {self.at:%B %Y}"

    def text(self) -> str:
        """For the tag."""
        return json.dumps({"tag": self.tag, "at": None if self.at is None else self.at.isoformat()})

    @staticmethod
    def parse(text: str | None) -> Promotion | None:
        """What ``text`` wrote; other text is the word itself, and nothing is no promotion."""
        raw = load_json(text)
        if isinstance(raw, Mapping) and isinstance(raw.get("tag"), str) and raw["tag"].strip():
            return Promotion(clean(raw["tag"])[:LONGEST], _moment(raw.get("at")))
        return Promotion(clean(text)[:LONGEST]) if text and text.strip() else None


def promote(uri: str, run: str, tag: str = CHAMPION) -> Promotion:
    """Mark the trial of a run by a word; an earlier mark of it gives way, those of other trials stay."""
    if not _WORD.fullmatch(tag):
        raise UserError(
            f"a promotion's tag is letters, digits, '.', '_' or '-', at most 50 of them, got {shown(tag)}; "
            f"use {CHAMPION}"
        )
    made = Promotion(tag, datetime.now(UTC).replace(microsecond=0))
    write_promotion(uri, run, made.text())
    return made


def demote(uri: str, run: str) -> Promotion | None:
    """Take the mark away; what it was, None if there was none."""
    before = promotion_of(uri, run)
    if before is not None:
        write_promotion(uri, run, None)
    return before


def promotion_of(uri: str, run: str, patience: float | None = None) -> Promotion | None:
    """The mark of a trial's run, None if it has none; ``patience`` as of ``ResultStore``."""
    return Promotion.parse(ResultStore(uri, patience=patience).tag(run, PROMOTED))


def _moment(raw: object) -> datetime | None:
    try:
        return datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
