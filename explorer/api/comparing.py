"""Runs beside each other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.arguments import file_path, number, text, text_or_none
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    import pandas as pd

    from explorer.comparison import Comparison
    from explorer.results.store import ResultStore

__all__ = ["Compared", "compare_runs"]


@dataclass(frozen=True, repr=False)
class Compared:
    """Two runs or more beside each other; the first is what the others are compared with.

    Attributes:
        comparison: the runs, what differs, every metric with its interval and the test of its difference.
        store: where they came from, and where samples and curves still lie.
    """

    comparison: Comparison
    store: ResultStore

    def __repr__(self) -> str:
        names = ", ".join(side.name for side in self.comparison.sides)
        return f"<comparison of {names}: {len(self.comparison.metrics)} metrics>"

    def sentences(self) -> list[str]:
        """What came of it, in words that claim no more than the seeds allow."""
        return [*self.comparison.sentences()]

    def document(self) -> dict[str, Any]:
        """Plain values: what ``tradeoff compare --json`` prints."""
        from explorer.comparison.document import comparison_document

        return comparison_document(self.comparison)

    def to_pandas(self) -> pd.DataFrame:
        """A row per metric and run: value, low, high, n; to the first run difference, corrected p, verdict."""
        import pandas as pd

        rows = []
        for metric in self.document()["metrics"]:
            for i, value in enumerate(metric["values"]):
                against = metric["differences"][i - 1] if i else {}
                rows.append(
                    {
                        "metric": metric["name"],
                        "run": self.comparison.sides[i].name,
                        **{key: value[key] for key in ("value", "low", "high", "n")},
                        "difference": against.get("value"),
                        "p": against.get("p_corrected"),
                        "verdict": against.get("verdict"),
                    }
                )
        return pd.DataFrame(rows)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write it as one HTML file that needs no network, with curves and samples, and return its path."""
        from explorer.report.comparing import write_comparison

        file = file_path(path, "the comparison's file")
        write_comparison(self.store, self.comparison, file)
        return file


def compare_runs(
    runs: Sequence[str],
    budget: float = 1,
    method: str | None = None,
    metrics: Sequence[str] | None = None,
    tracking_uri: str | None = None,
    experiment: str | None = None,
) -> Compared:
    """Runs of a store beside each other, each with all seeds of its configuration in its sweep.

    A run is a trial's identity or how it begins, ``SWEEP/TRIAL``, or the id or name of a run as MLflow shows it.
    ``budget`` is the K at which they are read, ``method`` the refinement, ``metrics`` names, by default the objectives
    and what fits beside them. Differences are tested over seeds, paired where both have the same, corrected by Holm.

    >>> both = te.compare_runs([f"ring/{trial.id}" for trial in list(found)[:2]])
    >>> list(both.to_pandas().columns)
    ['metric', 'run', 'value', 'low', 'high', 'n', 'difference', 'p', 'verdict']
    """
    from explorer.comparison import compare_sides, open_sides
    from explorer.results.store import ResultStore
    from explorer.store.addresses import asked_address

    words = _texts(runs, "runs to compare")
    names = None if metrics is None else _texts(metrics, "metrics")
    at = number(budget, "the budget"), text_or_none(method, "the method")
    uri, one = text_or_none(tracking_uri, "tracking_uri"), text_or_none(experiment, "experiment")
    store = ResultStore(asked_address(uri, "tracking_uri"), one)
    return Compared(compare_sides(open_sides(store, words), *at, names), store)


def _texts(values: Any, what: str) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise UserError(f"{what} must be a list of texts, got {shown(values)}")
    return [text(value, f"each of the {what}") for value in values]
