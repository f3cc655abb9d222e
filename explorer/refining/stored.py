"""A trial of a sweep as a model to refine: its networks from its run, its data and measures from its parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, brief
from explorer.results.repeat import base_params, can_repeat, repeat_document
from explorer.store.schema import MODEL_FOLDER, REPEAT_FOLDER

if TYPE_CHECKING:
    import torch

    from explorer.results.store import ResultStore
    from explorer.results.table import Trial, TrialTable
    from explorer.sweep import Sweep
    from trainables.samplers.sampler import Sampler

__all__ = ["kept_sampler", "reading_sweep"]

WEIGHTS = f"{MODEL_FOLDER}/data/weights.safetensors"
"""The trial's own file inside its model, as ``explorer.models.folder`` lays it."""
AGAIN = (
    "run its sweep with tracking.models: all, a tracking.largest that suffices and another evaluation.samples, which "
    "reads its trials again and trains nothing"
)
"""How a run comes by a model."""


def reading_sweep(
    store: ResultStore,
    table: TrialTable,
    trial: Trial,
    refinement: Mapping[str, Any],
    evaluation: Mapping[str, Any],
    changes: Sequence[str] = (),
) -> Sweep:
    """A sweep of this one trial that is read through one refinement: its data, features and metrics, with changes.

    ``evaluation``: fields laid over what the trial's sweep says; ``changes``: ``path=value`` texts laid over all.
    Modules of the user's that came with the trial are taken from its run.
    """
    from explorer.sweep import load_sweep

    if not can_repeat(trial):
        raise UserError(
            f"a trial is refined by its own model, and {trial.id} of sweep '{table.sweep}' was made by others; give "
            "its generator and critic as files"
        )
    document = repeat_document(trial, table.sweep, store.document(table.sweep), base_params(table, trial))
    for section in ("base", "start", "resources"):
        document.pop(section, None)
    document["refinement"] = dict(refinement)
    document["evaluation"] = {**document.get("evaluation", {}), **evaluation}
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        folder = Path(scratch)
        if document.get("plugins"):
            fetched = store.fetched(trial.run_id, REPEAT_FOLDER, folder)
            folder = folder if fetched is None else fetched
        file = folder / "refined.yaml"
        file.write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML
        return load_sweep(str(file), changes)


def kept_sampler(store: ResultStore, table: TrialTable, trial: Trial, device: torch.device | str) -> Sampler:
    """The networks of a finished trial as they were evaluated, from the model in its run."""
    from trainables.safetensors import read_tensors
    from trainables.samplers.keeping import CARD
    from trainables.samplers.sampler import Sampler

    if trial.status != "finished":
        raise UserError(
            f"a trial is refined once it is finished, and {trial.id} of sweep '{table.sweep}' is {trial.status}; "
            "choose another, or let it finish"
        )
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        file = store.fetched(trial.run_id, WEIGHTS, Path(scratch))
        if file is None:
            raise UserError(
                f"run {trial.run_id} of trial {trial.id} has no model to draw from: tracking.models or "
                f"tracking.largest left it out, or it was deleted; {AGAIN}"
            )
        try:
            tensors, texts = read_tensors(file.read_bytes())
            return Sampler(json.loads(texts[CARD]), tensors, device)
        except (ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError) as error:
            told = f"it lacks {error}" if isinstance(error, KeyError) else brief(str(error), 160)
            raise UserError(
                f"the model in run {trial.run_id} of trial {trial.id} cannot be loaded: {told}; {AGAIN}"
            ) from error
