"""One measurement from paths to a document."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.curves import plain_curves
from explorer.measure.extraction import (
    Stage,
    StoredReference,
    check_kinds,
    choose_extractor,
    extract_set,
    extractor_named,
)
from explorer.measure.files import is_folder, named, reason
from explorer.measure.inputs import SampleSet, check_set, load_sets, outline_sets
from explorer.measure.memory import check_memory
from explorer.measure.outline import Outline
from explorer.measure.report import Measurement, check_metrics, measure_features
from explorer.measure.settings import MeasureSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trainables.features import Extractor
    from trainables.measures import BallCounts
    from trainables.metrics import Metric

__all__ = ["check_numbers", "measure_paths", "outlined"]


def measure_paths(
    real_path: Path,
    fake_path: Path,
    features: str | None,
    settings: MeasureSettings,
    cache: Path,
    stage: Stage = lambda text: None,
) -> Measurement:
    """The metrics of FAKE against REAL with a ``settings`` entry that says how they were made.

    ``cache`` holds the reference store and trained classifiers. What is wrong with the input is one sentence.
    """
    with _told():
        return _measure(_outlined(real_path, fake_path, features, settings), features, settings, cache, stage)


def outlined(
    real_path: Path, fake_path: Path, features: str | None, settings: MeasureSettings
) -> tuple[Outline, Outline]:
    """Both sides from their headers, once it is known that ``measure_paths`` can measure them. O(N) for folders."""
    with _told():
        return _outlined(real_path, fake_path, features, settings)


def check_numbers(real: Outline, fakes: Sequence[Outline], stage: Stage = lambda text: None) -> None:
    """Refuse sides whose numbers ``measure_paths`` would refuse, each read once and one at a time. O(bytes)."""
    with _told():
        for beside in {max(real.worksize, fake.worksize): fake for fake in fakes}.values():
            check_set("REAL", real, beside)
        for number, fake in enumerate(fakes, start=1):
            stage(f"looking at the numbers of set {number} of {len(fakes)}")
            which = f" {named(fake.path)}" if len(fakes) > 1 else ""
            check_set(f"FAKE{which}", fake, real)


@contextmanager
def _told() -> Iterator[None]:
    """What is wrong with the input, in one sentence."""
    try:
        yield
    except ValueError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        where = named(Path(os.fsdecode(error.filename))) if error.filename else "a file"
        raise UserError(f"{where} cannot be read or written: {reason(error)}") from error
    except (MemoryError, RuntimeError) as error:
        raise UserError(_computing(error)) from error


def _outlined(
    real_path: Path, fake_path: Path, features: str | None, settings: MeasureSettings
) -> tuple[Outline, Outline]:
    """Both sides from their headers, once it is known that they can be measured; torch is not loaded for it."""
    settings.check()
    for path in (real_path, fake_path):
        is_folder(path)  # or any other thing, as long as it is there
    real, fake = outline_sets(real_path, fake_path)
    check_kinds(features, real, fake)
    logits = False
    if not real.is_features:
        extractor = extractor_named(features)
        extractor.look(real.images, fake.images)
        logits = extractor.has_logits
    check_metrics(settings, len(real), len(fake), logits)
    check_memory(real, fake, features, covariances=settings.wants("fid"))
    return real, fake


def _computing(error: MemoryError | RuntimeError) -> str:
    """Why computing failed: torch has one kind of error for memory, matrices and its own mistakes."""
    if "linalg" in str(error) or "LinAlg" in type(error).__name__:
        return "features must be small enough for their covariances to be computed in float64; rescale them"
    if isinstance(error, MemoryError) or "memory" in str(error):
        return "the measurement must fit into memory, and it did not; use fewer samples or device cpu"
    raise error


def _measure(
    outlines: tuple[Outline, Outline],
    features: str | None,
    settings: MeasureSettings,
    cache: Path,
    stage: Stage,
) -> Measurement:
    real, fake = load_sets(*outlines)
    from trainables.features import ReferenceStore

    device = settings.torch_device()
    if not real.is_features:
        stage(f"extractor {features or 'inception'}")
    extractor = choose_extractor(features, real, cache / "classifiers")
    name = "none" if extractor is None else extractor.fingerprint
    reference = StoredReference(ReferenceStore(cache / "references"), real.fingerprint, name, len(real))
    if extractor is None:
        ours = extract_set(real, None, device, stage)
    else:
        stored = reference.get("features", lambda: extract_set(real, extractor, device, stage))
        ours = {part: tensor.to(device) for part, tensor in stored.items()}
    theirs = extract_set(fake, extractor, device, stage)
    sides = ours["features"], theirs["features"], theirs.get("logits")
    found = measure_features(*sides, settings, reference, stage, ours.get("logits"))
    if real.labels is not None and fake.labels is not None:
        found.values["modes"] = _modes(real.labels.numpy(), fake.labels.numpy(), found.counts)
    if curves := plain_curves(found):
        found.values["curves"] = curves
    found.values["settings"] = _settings(real, fake, extractor, ours["features"].shape[1], settings, device)
    if found.left_out:
        found.values["settings"]["left_out"] = found.left_out
    return found


def _modes(real: NDArray[np.integer], fake: NDArray[np.integer], counts: BallCounts | None) -> dict[str, Any]:
    """Classes covered, distance of the class histograms and, where balls were counted, the scores of each class."""
    from trainables.measures import class_scores, per_class_scores

    scores = class_scores(real, fake)
    found: dict[str, Any] = {
        "covered": scores.covered,
        "classes": scores.classes,
        "distance": scores.distance,
        "real_share": scores.real_share.tolist(),
        "fake_share": scores.fake_share.tolist(),
    }
    if counts is not None:
        for name, values in zip(("precision", "recall"), per_class_scores(counts, real, fake), strict=True):
            found[f"{name}_by_class"] = [None if value != value else float(value) for value in values]
    return found


def _settings(
    real: SampleSet,
    fake: SampleSet,
    extractor: Extractor | None,
    dimension: int,
    settings: MeasureSettings,
    device: str,
) -> dict[str, Any]:
    return {
        "real": {"path": _readable(real.path), "samples": len(real)},
        "fake": {"path": _readable(fake.path), "samples": len(fake)},
        "features": "the arrays as given" if extractor is None else extractor.description,
        "dimension": dimension,
        "k": settings.k,
        "balls": "closed",
        **{metric.name: plain for metric in settings.chosen() if (plain := _fields(metric))},
        "bootstrap_draws": settings.draws,
        "level": settings.level,
        "seed": settings.seed,
        "device": device,
    }


def _readable(path: Path) -> str:
    """A path as text that can be printed, also where its bytes are none."""
    return os.fsencode(path).decode(errors="replace")


def _fields(metric: Metric) -> dict[str, Any]:
    return {key: value for key, value in metric.plain().items() if key != "name"}
