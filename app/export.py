"""Trials as files to take away."""

from __future__ import annotations

import json
import re

from explorer.pareto import front_document
from explorer.results.table import TrialTable
from explorer.store.schema import At

__all__ = ["file_stem", "trials_json"]


def file_stem(sweep: str) -> str:
    """A file name without surprises."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", sweep).strip("-.")[:60] or "sweep"


def trials_json(table: TrialTable, at: At) -> str:
    """The object that ``tradeoff front --json`` prints, for the trials shown."""
    return json.dumps(front_document(table, at), indent=1, allow_nan=False)
