"""What must be alike for the numbers of two sets of samples to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, brief
from explorer.store.foreign import load_json

if TYPE_CHECKING:
    from explorer.measure import MeasureSettings
    from explorer.measure.outline import Outline

__all__ = ["check_alike", "conditions", "described", "digest"]


def conditions(
    real: Outline, sets: Sequence[Outline], features: str | None, settings: MeasureSettings
) -> dict[str, Any]:
    """What must be alike for numbers to compare: the real set, how many of each, the space, k, metrics.

    Fields of metrics are told where they are not the defaults: sets that were measured before there were such fields
    compare with those that leave them as they are.
    """
    counts = {len(one) for one in sets}
    if len(counts) > 1:
        raise UserError(
            f"all sets of a sweep must have as many samples, since scores depend on it, got {min(counts):,} to "
            f"{max(counts):,}; cut them to one number, or import them under several names"
        )
    changed = {metric.name: fields for metric in settings.chosen() if (fields := metric.changed())}
    return {
        "real": digest(real),
        "real samples": len(real),
        "samples of a set": counts.pop(),
        "features": "the arrays as given" if real.is_features else _space(features),
        "k": settings.k,
        "seed": settings.seed,
        "metrics": "all" if settings.words is None else ", ".join(settings.words),
        "level": settings.level,
        **({"fields of metrics": changed} if changed else {}),
    }


def digest(side: Outline) -> str:
    """A hash of the bytes of a set. O(bytes)."""
    from explorer.measure.inputs import SampleSet

    return SampleSet(side.path, files=side.files).fingerprint


def _space(features: str | None) -> str:
    """An extractor by its name, and its file, if it has one, by its bytes: a path says little."""
    from trainables.features.extractor import file_fingerprint

    name, _, value = (features or "inception").partition("=")
    file = Path(value or name).expanduser()
    if not file.is_file():
        return features or "inception"
    return f"{name if value else 'torchscript'}={file_fingerprint(file)}"


def check_alike(told: str | None, alike: Mapping[str, Any], name: str) -> None:
    """Refuse what a sweep's own run does not tell of its sets, by its tag."""
    before = load_json(told)
    before = before if isinstance(before, dict) else {}
    for what in {**alike, **before}:
        then, now = (brief(str(side.get(what, "left open")), 60) for side in (before, alike))
        if before.get(what) != alike.get(what):
            raise UserError(
                f"all sets of sweep '{name}' must be measured alike, with {what} {then}, got {now}; measure these the "
                "same way, or give them another name"
            )


def described(real: Outline, alike: Mapping[str, Any]) -> str:
    """For people, what a sweep of samples is."""
    return (
        f"Samples of other models, measured against {brief(real.path.name, 80)} ({len(real):,} samples), "
        f"{alike['samples of a set']:,} of each, in {alike['features']}, k = {alike['k']}."
    )
