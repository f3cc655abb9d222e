"""Objectives as an option has them: ``precision max, recall max``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import UserError, brief

if TYPE_CHECKING:
    from explorer.goals import Goal

__all__ = ["parse_objectives"]


def parse_objectives(text: str | None) -> tuple[Goal, ...] | None:
    """Metrics with their directions, divided by commas; None, which leaves the choice open, when left out."""
    if text is None:
        return None
    from explorer.goals import parse_goals

    told: dict[str, str] = {}
    for part in text.split(","):
        metric, _, direction = part.strip().rpartition(" ")
        if not metric.strip() or metric.strip() in told:
            raise UserError(
                f"goals are metrics, each once with max or min, got '{brief(text)}'; write 'precision max, fid min'"
            )
        told[metric.strip()] = direction
    try:
        return parse_goals(told)
    except ValueError as error:
        raise UserError(str(error)) from None
