"""Made-up histories of trials."""

from __future__ import annotations

from collections.abc import Sequence

from trainables.evaluation.reading import PLAIN, Evaluation, Reading

__all__ = ["history"]


def history(**series: Sequence[float]) -> list[Evaluation]:
    """Evaluations whose metrics take these values one after the other."""
    length = max(map(len, series.values()))
    return [
        Evaluation(
            100 * (i + 1),
            final=False,
            readings=(Reading(*PLAIN, {key: values[i] for key, values in series.items()}),),
        )
        for i in range(length)
    ]
