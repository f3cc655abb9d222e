"""Sweeps that leave a store and come to one: archives, what others wrote, samples of any model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from explorer.api.arguments import file_path, flag, text, text_or_none, whole_number
from explorer.api.measuring import device_name, extractor_name, kept_path, metric_list
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    from explorer.goals import Goal
    from explorer.transfer import Arrival, Departure, SampleTrial

__all__ = ["export_sweep", "import_samples", "import_sweep"]

Stage = Callable[[str], None]


def export_sweep(
    sweep: str,
    file: str | os.PathLike[str],
    artifacts: bool = True,
    tracking_uri: str | None = None,
    experiment: str | None = None,
    stage: Stage = lambda told: None,
) -> Departure:
    """Write a sweep with all its runs, histories and artifacts into one ``.zip`` that any store takes in.

    ``artifacts``: whether samples, curves and models go along. ``stage`` hears what is done now. Tables, histories and
    files are the same where it is imported; docs/importing.md has the format.

    >>> left = te.export_sweep("ring", "ring.zip")
    >>> left.trials
    6
    """
    from explorer.api.reading import store_of
    from explorer.transfer import export_sweep as write

    store = store_of(tracking_uri, experiment)
    return write(
        store,
        text(sweep, "a sweep's name"),
        file_path(file, "the archive"),
        flag(artifacts, "artifacts"),
        stage,
    )


def import_sweep(
    address: str | os.PathLike[str],
    name: str | None = None,
    sweep: str | None = None,
    objectives: Mapping[str, str] | None = None,
    tracking_uri: str | None = None,
    experiment: str | None = None,
    stage: Stage = lambda told: None,
) -> Arrival:
    """Take what is at an address into a store, each trial once; done again, it writes what is new.

    ``address`` is an archive, a CSV file, an Optuna storage, a folder of Ray Tune's results or an MLflow store;
    ``sweep`` says which of several is meant. ``name`` is what it is called here, ``objectives`` are for tables
    without.

    >>> te.import_sweep("ring.zip", name="ring-again").sentence()
    'sweep ring-again: 6 trials imported'
    """
    from explorer.transfer import import_address

    return import_address(
        text(os.fspath(address), "the address"),
        _store(tracking_uri),
        text_or_none(name, "the name"),
        text_or_none(experiment, "experiment"),
        _goals(objectives),
        text_or_none(sweep, "the sweep"),
        stage,
    )


def import_samples(
    name: str,
    real: Any,
    fake: Any,
    params: Mapping[str, Any] | None = None,
    objectives: Mapping[str, str] | None = None,
    metrics: str | Sequence[str] | None = None,
    features: str | os.PathLike[str] | None = None,
    k: int = 5,
    seed: int = 0,
    device: Any = "auto",
    tracking_uri: str | None = None,
    experiment: str | None = None,
    stage: Stage = lambda told: None,
    classifier: str = "ensemble",
) -> Arrival:
    """Measure samples of any model against real ones and keep them as trials of the sweep ``name``, made or extended.

    ``real`` and ``fake`` are what ``te.measure`` takes, and the choices those of ``te.measure``; ``params`` tell the
    trial from others. ``fake`` may be a list of ``SampleTrial``, many sets with their own parameters. What is there is
    not measured again; all trials of a sweep are measured alike.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> wide, narrow = rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) / 2
    >>> te.import_samples("mine", wide, narrow, {"model": "narrow"}, metrics="precision,recall").sentence()
    'sweep mine: 1 trial imported'
    """
    from explorer.measure import MeasureSettings, all_metrics, parse_metrics, with_classifier
    from explorer.transfer import SampleTrial
    from explorer.transfer import import_samples as take

    settings = MeasureSettings(
        words=parse_metrics(metric_list(metrics)),
        metrics=with_classifier(all_metrics(), text(classifier, "the classifier")),
        k=whole_number(k, "k", 1),
        seed=whole_number(seed, "the seed", 0),
        device=device_name(device),
    )
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        trials: Sequence[SampleTrial]
        if isinstance(fake, list) and fake and all(isinstance(one, SampleTrial) for one in fake):
            trials = fake
        else:
            trials = [SampleTrial(kept_path(fake, Path(scratch) / "fake.npz"), _params(params))]
        return take(
            text(name, "a sweep's name"),
            kept_path(real, Path(scratch) / "real.npz"),
            trials,
            _store(tracking_uri),
            settings,
            None if features is None else extractor_name(features),
            text_or_none(experiment, "experiment"),
            _goals(objectives),
            stage,
        )


def _store(tracking_uri: str | None) -> str:
    """The store that is written to: the one that is named, which must have no password, or that of commands."""
    from explorer.store.addresses import asked_address

    return asked_address(text_or_none(tracking_uri, "tracking_uri"), "tracking_uri")


def _params(params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Parameters as the command line has them; a text stays one, whatever it would spell there."""
    from explorer.sources.scalars import as_cell
    from explorer.transfer import parse_params

    if params is not None and not isinstance(params, Mapping):
        raise UserError(f"params must be a mapping such as {{'model': 'mine'}}, got {shown(params)}")
    return parse_params(f"{path}={as_cell(value)}" for path, value in (params or {}).items())


def _goals(objectives: Mapping[str, str] | None) -> tuple[Goal, ...] | None:
    from explorer.goals import parse_goals

    if objectives is None:
        return None
    if not isinstance(objectives, Mapping) or not all(isinstance(name, str) for name in objectives):
        raise UserError(f"objectives must be a mapping such as {{'fid': 'min'}}, got {shown(objectives)}")
    try:
        return parse_goals(objectives)
    except ValueError as error:
        raise UserError(str(error)) from error
