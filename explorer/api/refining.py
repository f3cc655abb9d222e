"""Trained models refined: read at sampling budgets, and sampled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.arguments import (
    file_path,
    flag,
    is_path,
    number,
    numbers,
    text,
    text_or_none,
    whole_number,
)
from explorer.api.reading import Results
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    from explorer.refining import Refined, Wish
    from explorer.refining.file_subject import Files
    from explorer.results.store import ResultStore
    from explorer.results.table import Trial, TrialTable

__all__ = ["refine", "sample"]


def refine(
    found: Results | str | os.PathLike[str],
    trial: str | None = None,
    method: str = "obrs",
    budgets: Iterable[float] = (1, 2, 4, 8),
    samples: int | None = None,
    seed: int = 0,
    ratio: str = "critic",
    calibration: str | None = None,
    device: str = "auto",
    changes: Mapping[str, Any] | None = None,
    log: bool = True,
    stage: Callable[[str], None] = lambda told: None,
    *,
    critic: str | os.PathLike[str] | None = None,
    real: str | os.PathLike[str] | None = None,
    latent: int | Sequence[int] | None = None,
    scores: str = "logit",
) -> Refined:
    """Read a finished trial through a refinement at budgets K: metrics with intervals, what theory foretold, the cost.

    Nothing is trained. In place of a trial ``found`` may be a TorchScript generator with its ``critic``, or a file or
    folder of samples with scores (docs/refinement.md); ``real`` are then the real samples, ``latent`` is the shape of
    a latent, and ``scores`` says what the critic's stand for.

    ``ratio`` is from what p/q is known: the ``critic``, the model's ``density`` against the known law of the data, or a
    ``classifier`` that is fitted now; ``calibration`` is ``slope`` if left out, ``isotonic``, ``normalised`` or
    ``none``. ``changes`` are values by path, such as ``{"refinement.rate": 0.01}``; with ``log`` what is found goes to
    the trial's run; ``stage`` hears what is done now.

    >>> bought = te.refine(found, best.trials[0].id, "obrs", [1, 2], samples=200, log=False)
    >>> bool(bought.to_pandas().loc[2.0, "draws"] > 1.5)
    True
    """
    from explorer.refining import refined
    from explorer.refining.file_subject import file_subject
    from explorer.refining.kept import keep_refined
    from explorer.refining.trial_subject import trial_subject

    wish = _wish(
        method, numbers(budgets, "budgets"), samples, seed, ratio, calibration, device, None, changes
    )
    wanted = flag(log, "log")
    _check_stage(stage)
    files = _files(found, trial, critic, real, latent, scores)
    if files is not None:
        stage(f"{wish.method}: loading {files.title}")
        return refined(file_subject(files, wish), wish.seed, stage)
    table, store, one = _trial(found, trial)
    stage(f"{wish.method}: reading trial {one.id}")
    done = refined(trial_subject(store, table, one, wish), wish.seed, stage)
    if wanted:
        stage(keep_refined(store.uri, one, done))
    return done


def sample(
    found: Results | str | os.PathLike[str],
    trial: str | None,
    out: str | os.PathLike[str],
    n: int = 64,
    method: str = "obrs",
    budget: float = 1,
    seed: int = 0,
    label: int | None = None,
    ratio: str = "critic",
    calibration: str | None = None,
    device: str = "auto",
    changes: Mapping[str, Any] | None = None,
    stage: Callable[[str], None] = lambda told: None,
    *,
    critic: str | os.PathLike[str] | None = None,
    real: str | os.PathLike[str] | None = None,
    latent: int | Sequence[int] | None = None,
    scores: str = "logit",
) -> dict[str, Any]:
    """Draw ``n`` samples of a finished trial at budget K into a ``.npz`` file or a folder of images; what they cost.

    Samples are written while they are drawn, in constant memory. The other arguments are those of ``refine``;
    ``label`` is the class of all samples, of a model that makes them for one.

    >>> made = te.sample(found, best.trials[0].id, "kept.npz", 100, budget=2)
    >>> made["ledger"]["samples"]
    100
    """
    from explorer.refining.file_subject import drawn_files
    from explorer.refining.sampled import sampled
    from explorer.refining.samples_out import check_name
    from explorer.refining.trial_subject import drawn_trial

    place, count = _own(out, "the place of samples"), whole_number(n, "n", 1)
    check_name(place)
    wish = _wish(method, [number(budget, "budget K")], None, seed, ratio, calibration, device, label, changes)
    _check_stage(stage)
    files = _files(found, trial, critic, real, latent, scores)
    if files is not None:
        if any(read.exists() and place.exists() and read.samefile(place) for read in files.read()):
            raise UserError(
                f"samples would be written over {shown(str(place), 120)}, which is read; give another name"
            )
        model, refinement, title = drawn_files(files, wish)
        return sampled(model, refinement, wish, count, place, {"model": title}, stage)
    table, store, one = _trial(found, trial)
    model, refinement, title = drawn_trial(store, table, one, wish)
    told = {"model": title, "run": one.run_id, "trial": one.id, "sweep": table.sweep}
    return sampled(model, refinement, wish, count, place, told, stage)


def _files(
    found: object, trial: object, critic: object, real: object, latent: object, scores: str
) -> Files | None:
    """The model in files that is meant; None where a trial is."""
    from explorer.refining.file_subject import Files

    if not is_path(found):
        usual = None if text(scores, "scores") == "logit" else scores
        for what, given in (("critic", critic), ("real", real), ("latent", latent), ("scores", usual)):
            if given is not None:
                raise UserError(f"{what} belongs to a model in files, and a trial has its own; leave it out")
        return None
    if trial is not None:
        raise UserError(f"a model in files is no trial of a sweep; leave out {shown(trial)}")
    shape = None
    if latent is not None:
        several = latent if isinstance(latent, Iterable) and not isinstance(latent, str) else [latent]
        shape = tuple(whole_number(part, "every number of the latent's shape", 1) for part in several)
    return Files(
        _own(found, "the model"),
        None if critic is None else _own(critic, "the critic"),
        None if real is None else _own(real, "the real samples"),
        shape,
        text(scores, "scores"),
    )


def _own(path: object, what: str) -> Path:
    """The path of a file or folder of the user's, his home written out."""
    from trainables.paths import check_path

    place = file_path(path, what)
    try:
        check_path(what, str(path))
    except ValueError as error:
        raise UserError(str(error)) from None
    return place.expanduser()


def _trial(found: object, trial: str | None) -> tuple[TrialTable, ResultStore, Trial]:
    from explorer.results.store import ResultStore

    if not isinstance(found, Results):
        raise UserError(f"the results of a sweep must be what te.results returns, got {shown(found)}")
    if trial is None:
        raise UserError("a trial must be named to be refined; give its identity, or how it begins")
    if not isinstance(found.store, ResultStore):
        raise UserError(
            f"a trial is refined by the model in its run, in an MLflow store, got {shown(found.store.address)}; "
            "give its generator and critic as files"
        )
    return found.table, found.store, found[trial]


def _wish(
    method: str,
    budgets: list[float],
    samples: int | None,
    seed: int,
    ratio: str,
    calibration: str | None,
    device: str,
    label: int | None,
    changes: Mapping[str, Any] | None,
) -> Wish:
    import json

    from explorer.refining import Wish
    from explorer.sweep.values import plain_mapping

    if changes is not None and not isinstance(changes, Mapping):
        raise UserError(
            f"changes must be a mapping such as {{'refinement.rate': 0.01}}, got {shown(changes)}"
        )
    laid = plain_mapping(changes or {}, "changes")
    return Wish(
        method=text(method, "the method"),
        budgets=tuple(budgets),
        samples=None if samples is None else whole_number(samples, "samples", 1),
        seed=whole_number(seed, "the seed", 0),
        ratio=text(ratio, "the ratio"),
        calibration=text_or_none(calibration, "the calibration"),
        device=text(device, "the device"),
        label=None if label is None else whole_number(label, "the label", 0),
        changes=tuple(f"{path}={json.dumps(value)}" for path, value in laid.items()),
    )


def _check_stage(stage: object) -> None:
    if not callable(stage):
        raise UserError(f"stage must be a function that takes a text, got {shown(stage)}")
