"""Names of pinned trials, and which of a front are worth a first comparison."""

from __future__ import annotations

from app.views.compare_trials import _names, suggestions
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from tests.app.views.test_trial_choice import BENT, GOALS, scene


def trial(identity: str, **params: object) -> Trial:
    return Trial(identity, "r", "finished", params, {})  # type: ignore[arg-type]


def test_names_are_the_sweeps_own_or_tell_by_sweep_and_what_differs_and_the_identity_at_last() -> None:
    trials = trial("aa", lam=1.0, seed=0), trial("bb", lam=2.0, seed=0), trial("cc", lam=1.0, seed=0)
    columns = Columns(TrialTable("s", GOALS, (*trials, trial("dd", lam=3.0, seed=1))))
    mine = [("", "s", columns, row) for row in range(3)]
    assert _names(mine[:2]) == ["lam 1 · seed 0", "lam 2 · seed 0"], "as on every other page"
    assert _names([mine[0], mine[2], mine[1]]) == [
        "lam 1 · seed 0 (aa)",
        "lam 1 · seed 0 (cc)",
        "lam 2 · seed 0",
    ]
    assert _names([mine[0], ("", "t", columns, 1)]) == ["s: lam 1", "t: lam 2"]
    assert _names([]) == []


def test_the_ends_of_the_front_and_its_knee_are_suggested() -> None:
    assert suggestions(scene(BENT)) == [f"s/{i:012x}" for i in (0, 2, 3)]
    assert suggestions(scene(BENT[:1])) == [f"s/{0:012x}"]
    assert suggestions(scene([])) == []
    assert suggestions(scene(BENT, "running")) == []
