"""What a bad sweep is answered with."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep

__all__ = ["refusal"]


def refusal(*assignments: str, preset: str = "demo") -> str:
    """The sentence with which a preset, its objective left open and so changed, is refused; it is one line."""
    with pytest.raises(UserError) as caught:
        load_sweep(preset, ("objective={}", *assignments))
    text = str(caught.value)
    assert "\n" not in text
    assert text.strip() == text != ""
    return text
