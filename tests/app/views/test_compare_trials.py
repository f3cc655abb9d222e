"""Names of pinned trials, and which of a front are worth a first comparison."""

from __future__ import annotations

from app.views.compare_trials import _names, suggestions
from explorer.results.table import Trial
from tests.app.views.test_trial_choice import BENT, scene


def trial(identity: str, **params: object) -> Trial:
    return Trial(identity, "r", "finished", params, {})  # type: ignore[arg-type]


def test_names_tell_by_what_differs_then_by_sweep_then_by_identity() -> None:
    a, b = trial("aa", lam=1.0, seed=0), trial("bb", lam=2.0, seed=0)
    assert _names([("s", a), ("s", b)]) == ["lam 1", "lam 2"]
    assert _names([("s", a), ("t", b)]) == ["s: lam 1", "t: lam 2"]
    twin = trial("cc", lam=1.0, seed=0)
    assert _names([("s", a), ("s", twin), ("s", b)]) == ["lam 1 (aa)", "lam 1 (cc)", "lam 2"]
    assert _names([("s", a)]) == ["aa"]
    assert _names([]) == []


def test_the_ends_of_the_front_and_its_knee_are_suggested() -> None:
    assert suggestions(scene(BENT)) == [f"s/{i:012x}" for i in (0, 2, 3)]
    assert suggestions(scene(BENT[:1])) == [f"s/{0:012x}"]
    assert suggestions(scene([])) == []
    assert suggestions(scene(BENT, "running")) == []
