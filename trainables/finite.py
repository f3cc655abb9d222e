"""The one sentence about samples that are not finite, for those who look at them with torch and those who do not."""

from __future__ import annotations

__all__ = ["not_finite"]


def not_finite(name: str, bad: int, total: int) -> ValueError:
    """What to raise when ``bad`` of ``total`` samples of ``name`` hold NaN or infinity."""
    return ValueError(
        f"{name} must be finite, but {bad} of {total} samples hold NaN or infinity; "
        "remove them or fix what made them"
    )
