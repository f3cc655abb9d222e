"""A reproduction names its paper and its place, and computes nothing until it is asked to."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import plotly.graph_objects as go
import pytest

from explorer.reproduce.record import Panel, Reproduction


def test_nothing_is_computed_until_build_is_called() -> None:
    calls = []
    panel = Panel(go.Figure(), "what it shows")

    def build() -> list[Panel]:
        calls.append(1)
        return [panel]

    entry = Reproduction("a-1", "Someone, 2020", "Figure 1, page 2", "What it shows", build)
    assert (entry.name, entry.paper, entry.place) == ("a-1", "Someone, 2020", "Figure 1, page 2")
    assert calls == []
    assert entry.build() == [panel]
    assert calls == [1]


def test_records_cannot_be_changed() -> None:
    panel = Panel(go.Figure(), "caption")
    with pytest.raises(FrozenInstanceError):
        panel.caption = "other"  # type: ignore[misc]
    entry = Reproduction("a-1", "p", "q", "t", list)
    with pytest.raises(FrozenInstanceError):
        entry.name = "other"  # type: ignore[misc]
