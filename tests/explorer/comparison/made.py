"""Small tables of configurations with seeds, their metrics as they are told."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.comparison.sides import Side, names_of
from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN

GOALS = parse_goals({"precision": "max", "fid": "min"})


def trial(identity: str, params: dict[str, Scalar], **metrics: float) -> Trial:
    return Trial(identity, f"run-{identity}", "finished", params, {PLAIN: metrics})


def table(values: dict[float, Sequence[dict[str, float]]], sweep: str = "s", first: int = 0) -> Columns:
    """A trial per λ and entry, seeds counted from ``first``; the identity is ``a0`` for the first λ's first seed."""
    trials = [
        trial(f"{'abcdefgh'[i]}{seed}", {"objective.lam": lam, "seed": seed + first}, **metrics)
        for i, (lam, seeds) in enumerate(values.items())
        for seed, metrics in enumerate(seeds)
    ]
    return Columns(TrialTable(sweep, GOALS, tuple(trials)))


def sides(*chosen: tuple[Columns, str]) -> list[Side]:
    """Sides of (table, identity)."""
    rows = [(columns.table.sweep, columns, columns.row_of[identity]) for columns, identity in chosen]
    return [Side(*row, name) for row, name in zip(rows, names_of(rows), strict=True)]
