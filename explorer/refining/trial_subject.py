"""A finished trial as a subject of refinement: its model with a ratio, the data it was trained on, its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.refining.ratio import calibrated_ratio, held_out, ratio_model
from explorer.refining.stored import kept_sampler, reading_sweep
from explorer.refining.subject import Subject
from explorer.refining.wish import Wish

if TYPE_CHECKING:
    from explorer.results.store import ResultStore
    from explorer.results.table import Trial, TrialTable
    from explorer.sweep import Sweep
    from trainables.datasets import Dataset
    from trainables.refinements.budgeted import Budgeted
    from trainables.samplers.pool import Drawable

__all__ = ["drawn_trial", "trial_subject"]


def trial_subject(store: ResultStore, table: TrialTable, trial: Trial, wish: Wish) -> Subject:
    """The trial, refined as it is wished; what its critic cannot know is refused before anything is drawn."""
    from trainables.evaluation.real_side import real_side

    sweep, method = _read(store, table, trial, wish)
    device = wish.torch_device()
    sampler = kept_sampler(store, table, trial, device)
    title = _title(table, trial)
    dataset = _dataset(sweep)
    evaluation = sweep.plan.of(dataset).evaluation
    assert evaluation.features is not None
    try:
        real = real_side(dataset, evaluation.features, evaluation.samples, device)
        base = ratio_model(sampler, method, real.source, title, wish)
        model, ratio = calibrated_ratio(base, method, held_out(dataset, real.source, wish), wish)
    except ValueError as error:
        raise UserError(f"{title} cannot be refined: {error}") from error
    return Subject(
        title=title,
        model=model,
        method=method,
        real=real,
        evaluation=evaluation,
        ratio=ratio,
        alphas=() if _is_other_data(wish) else trial.alphas,
        run=trial.run_id,
        trial=trial.id,
        sweep=table.sweep,
    )


def drawn_trial(
    store: ResultStore, table: TrialTable, trial: Trial, wish: Wish
) -> tuple[Drawable, Budgeted, str]:
    """The trial as a model to draw from, its refinement, and its title; the data are read only where a wish asks so.

    At K = 1 no ratio is asked for.
    """
    from trainables.samplers.trained import Trained

    sweep, method = _read(store, table, trial, wish)
    sampler = kept_sampler(store, table, trial, wish.torch_device())
    title = _title(table, trial)
    if wish.label is not None and not wish.label < (sampler.classes or 0):
        known = f"classes 0 to {sampler.classes - 1}" if sampler.classes else "samples of no class"
        raise UserError(
            f"--label must be a class that the model makes, and {title} makes {known}, got {wish.label}"
        )
    try:
        if not method.asked():
            return Trained(sampler, label=wish.label), method, title
        if wish.ratio == "critic" and wish.calibration is None:
            return ratio_model(sampler, method, None, title, wish), method, title
        dataset = _dataset(sweep)
        source = dataset.source().to(wish.torch_device())
        base = ratio_model(sampler, method, source, title, wish)
        model, _ = calibrated_ratio(base, method, held_out(dataset, source, wish), wish)
    except ValueError as error:
        raise UserError(f"{title} cannot be sampled: {error}") from error
    return model, method, title


def _title(table: TrialTable, trial: Trial) -> str:
    return f"trial {trial.id} of sweep {table.sweep}"


def _is_other_data(wish: Wish) -> bool:
    """Whether data are changed, of which the trial's own curve tells nothing."""
    return any(change.partition("=")[0].strip().partition(".")[0] == "dataset" for change in wish.changes)


def _dataset(sweep: Sweep) -> Dataset:
    return sweep.trial({}, sweep.seeds[0]).dataset


def _read(store: ResultStore, table: TrialTable, trial: Trial, wish: Wish) -> tuple[Sweep, Budgeted]:
    """The sweep file of the trial with the refinement that is wished, and that refinement."""
    asked = {"intervals": True, "repeats": 1}
    if wish.samples is not None:
        asked["samples"] = wish.samples
    sweep = reading_sweep(store, table, trial, wish.section(), asked, wish.changes)
    (method,) = sweep.plan.refinements
    return sweep, wish.streamed(method)
