"""Objectives as an option has them."""

from __future__ import annotations

import pytest

from explorer.cli.objectives import parse_objectives
from explorer.errors import UserError
from explorer.goals import Goal


def test_metrics_have_directions() -> None:
    assert parse_objectives("precision max,  deep/fid  min") == (
        Goal("precision", "max"),
        Goal("deep/fid", "min"),
    )
    assert parse_objectives("of two words max") == (Goal("of two words", "max"),)
    assert parse_objectives(None) is None


@pytest.mark.parametrize(
    "text", ["", "max", "fid", "fid up", "fid min, fid max", "fid min,", " , ".join("a min" for _ in "ab")]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"goals are metrics|must be 'max' or 'min'"):
        parse_objectives(text)
