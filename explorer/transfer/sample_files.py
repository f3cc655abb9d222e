"""What is kept of samples that somebody else made: the pictures, points and curves that a trial of ours has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.store.schema import CURVE_FILE

if TYPE_CHECKING:
    from explorer.measure import Measurement
    from explorer.measure.inputs import SampleSet
    from explorer.measure.outline import Outline
    from trainables.evaluation.findings import EstimatedCurve
    from trainables.evaluation.shown import Shown

__all__ = ["numbers", "sample_files", "write_files"]

_CURVES = {
    "prd": ("PRD", "By clusters of the features of both sets, of all samples that were measured."),
    "classifier": (
        "Classifier",
        "By a classifier of real against generated features.",
    ),
}
"""Titles and sentences of the curves of a measurement."""


def numbers(found: Measurement) -> dict[str, float]:
    """Every number of a measurement under its key, and the ends of its interval: ``prd.f8``, ``prd.f8.low``."""
    from explorer.measure.report import BESIDE

    told: dict[str, float] = {}
    for key, entry in found.values.items():
        if isinstance(entry, dict) and key not in BESIDE:
            parts = (
                {key: entry} if "value" in entry else {f"{key}.{inner}": one for inner, one in entry.items()}
            )
            for name, number in parts.items():
                told[name] = float(number["value"])
                if number["ci"] is not None:
                    told[f"{name}.low"], told[f"{name}.high"] = map(float, number["ci"])
    return told


def sample_files(real: Outline, fake: Outline, found: Measurement) -> Mapping[str, bytes | str]:
    """Artifacts by name, made by those that make them for a launch."""
    from explorer.launch.extra_files import extra_files
    from explorer.launch.recorder import files_of
    from explorer.measure.inputs import load_sets
    from trainables.evaluation.findings import Findings
    from trainables.evaluation.reading import PLAIN, Evaluation, Reading

    ours, theirs = map(_shown, load_sets(real, fake))
    reading = Reading(*PLAIN, {}, samples=theirs.samples, classes=theirs.classes)
    evaluation = Evaluation(
        0,
        True,
        (reading,),
        real=ours.samples,
        real_classes=ours.classes,
        findings=Findings(curves=tuple(_curves(found))),
    )
    more, _ = extra_files(evaluation)
    files = {**files_of(evaluation), **more}
    del files[CURVE_FILE]  # there is no law to compare with
    return files


def write_files(files: Mapping[str, bytes | str], folder: Path) -> None:
    """Files as they will be stored."""
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def _shown(samples: SampleSet) -> Shown:
    """Some of a set; of a folder those that are as large as the first."""
    from trainables.evaluation.shown import IMAGES, shown

    batch = next(iter(samples.batches(IMAGES)))
    if samples.is_features:
        batch = samples.tensor
    span = (0.0, 1.0) if batch.dtype.is_floating_point else (0.0, 255.0)
    return shown(batch, span=span)


def _curves(found: Measurement) -> Iterator[EstimatedCurve]:
    """Curves of the measurement at some of their trade-offs, without the ends where λ is 0 or infinite."""
    from explorer.measure.curves import inner
    from trainables.evaluation.findings import EstimatedCurve

    for name, curve in found.curves.items():
        kept = inner(curve)
        title, sentence = _CURVES.get(name, (name, ""))
        yield EstimatedCurve(name, title, sentence, kept.lam, kept.precision, kept.recall)
