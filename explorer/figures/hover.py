"""What a reader sees when pointing at a trial; plotly reads a little HTML there, so every value is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

from explorer.results.naming import cut, number, plain
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import At

__all__ = ["hover_text", "safe"]

MAX_PARAMS = 10
MAX_METRICS = 12
MAX_LENGTH = 44


def safe(text: str, length: int = MAX_LENGTH) -> str:
    """Text cut to a length, control characters removed, HTML escaped."""
    return html.escape("".join(c if c.isprintable() else " " for c in cut(text, length)))


def hover_text(
    table: TrialTable, trial: Trial, varying: Sequence[str], at: At, rank: int | None, where: str
) -> str:
    """Identity and rank, the config with varying parameters first, then the metrics of one reading.

    ``varying`` and ``where``, the reading in words, are the table's and the same for all its trials: finding them takes
    a look at every trial.
    """
    place = "not ranked" if rank is None else "on the front" if rank == 0 else f"dominated, rank {rank}"
    lines = [f"<b>{safe(trial.id, 16)}</b>  {place}"]
    paths = [p for p in varying if p in trial.params]
    paths += [p for p in sorted(trial.params) if p not in paths][: max(0, 4 - len(paths))]
    lines += [f"{safe(table.title(p))}  <b>{safe(plain(trial.params[p]))}</b>" for p in paths[:MAX_PARAMS]]
    if len(paths) > MAX_PARAMS:
        lines.append(f"and {len(paths) - MAX_PARAMS} more")
    read = trial.at(at)
    metrics = [name for name in table.catalogue.ordered(read) if not table.catalogue.is_diagnostic(name)]
    shown = [f"{safe(table.title(m), 20)} <b>{number(read[m])}</b>" for m in metrics[:MAX_METRICS]]
    lines.append(safe(where))
    lines += ["   ".join(shown[i : i + 3]) for i in range(0, len(shown), 3)]
    return "<br>".join(lines)
