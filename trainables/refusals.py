"""Sentences about samples, the same from those who look at them with torch and from those who need not load it."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["not_finite", "other_channels", "other_shape", "out_of_range", "several_dimensions"]


def not_finite(name: str, bad: int, total: int) -> ValueError:
    """What to raise when ``bad`` of ``total`` samples of ``name`` hold NaN or infinity."""
    return ValueError(
        f"{name} must be finite, but {bad} of {total} samples hold NaN or infinity; "
        "remove them or fix what made them"
    )


def out_of_range(low: float, high: float) -> ValueError:
    """What to raise when images in floating point leave [0, 1], or are not finite."""
    return ValueError(
        f"images in floating point must lie in [0, 1], got values from {low:g} to {high:g}; "
        "rescale them, or give uint8 in 0…255"
    )


def several_dimensions(name: str, widths: Iterable[int]) -> ValueError:
    """What to raise when the extractor ``name`` gives features of several ``widths``."""
    return ValueError(
        f"{name} features must have one dimension, got {', '.join(map(str, sorted(widths)))} from images of "
        "several shapes; resize the images, or use an extractor that does"
    )


def other_shape(trained: tuple[int, ...], shape: tuple[int, ...]) -> ValueError:
    """What to raise when images are not of the shape a classifier was trained on."""
    return ValueError(
        f"images must have the shape {trained} the classifier was trained on, got {shape}; resize them"
    )


def other_channels(shape: tuple[int, ...]) -> ValueError:
    """What to raise when images that must be resized are neither grey nor red, green and blue."""
    return ValueError(f"images must have shape (n, 1 or 3, height, width), got {shape}")
