"""Trials as files to take away."""

from __future__ import annotations

import csv
import io
import json
import re

from explorer.pareto import Ranking, front_document
from explorer.results.table import Scalar, TrialTable

__all__ = ["file_stem", "trials_csv", "trials_json"]


def file_stem(sweep: str) -> str:
    """A file name without surprises."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", sweep).strip("-.")[:60] or "sweep"


def trials_csv(table: TrialTable, ranking: Ranking) -> str:
    """A row per trial and budget K; texts that a spreadsheet would run as formulas are quoted."""
    paths = sorted({p for t in table for p in t.params})
    metrics = sorted({m for t in table for at in (t.metrics, *t.budgets.values()) for m in at})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_harmless(h) for h in ["id", "status", "rank", "K", *paths, *metrics]])
    for t in table:
        for k, at in sorted({1.0: t.metrics, **t.budgets}.items()):
            writer.writerow(
                [t.id, t.status, ranking.ranks.get(t.id, ""), f"{k:g}"]
                + [_harmless(t.params.get(p)) for p in paths]
                + [at.get(m, "") for m in metrics]
            )
    return out.getvalue()


def trials_json(table: TrialTable, budget: float) -> str:
    """The object that ``tradeoff front --json`` prints, for the trials shown."""
    return json.dumps(front_document(table, budget), indent=1, allow_nan=False)


def _harmless(value: Scalar) -> Scalar:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
