"""A finished trial as a subject of refinement: its model with a ratio, the data it was trained on, its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.refining.subject import Subject
from explorer.refining.wish import Wish

if TYPE_CHECKING:
    from explorer.results.store import ResultStore
    from explorer.results.table import Trial, TrialTable

__all__ = ["trial_subject"]


def trial_subject(store: ResultStore, table: TrialTable, trial: Trial, wish: Wish) -> Subject:
    """The trial, refined as it is wished; what its critic cannot know is refused before anything is drawn."""
    from dataclasses import replace

    from trainables.evaluation.real_side import real_side

    sweep, method, sampler, device = _opened(store, table, trial, wish)
    dataset = sweep.trial({}, sweep.seeds[0]).dataset
    evaluation = sweep.plan.of(dataset).evaluation
    evaluation = replace(evaluation, samples=wish.samples or evaluation.samples, intervals=True, repeats=1)
    evaluation.check_data(dataset)
    assert evaluation.features is not None
    real = real_side(dataset, evaluation.features, evaluation.samples, device)
    model, ratio = _with_ratio(sampler, method, table, trial, wish)
    return Subject(
        title=f"trial {trial.id} of sweep {table.sweep}",
        model=model,
        method=method,
        real=real,
        evaluation=evaluation,
        ratio=ratio,
        alphas=trial.alphas,
        run=trial.run_id,
        trial=trial.id,
        sweep=table.sweep,
    )
