"""Which trials of a front are worth a first comparison."""

from __future__ import annotations

from app.views.compare_trials import suggestions
from tests.app.views.test_trial_choice import BENT, scene


def test_the_ends_of_the_front_and_its_knee_are_suggested() -> None:
    assert suggestions(scene(BENT)) == [f"s/{i:012x}" for i in (0, 2, 3)]
    assert suggestions(scene(BENT[:1])) == [f"s/{0:012x}"]
    assert suggestions(scene([])) == []
    assert suggestions(scene(BENT, "running")) == []
