"""Several sweeps as one table."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.pareto import Front
from explorer.results.catalogue import Catalogue
from explorer.results.several import joined
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from trainables.metrics.metric import Entry

GOALS = (Goal("precision", "max"), Goal("recall", "max"))


def table(name: str, *points: tuple[str, float, float], metric: str = "recall") -> TrialTable:
    trials = [
        Trial(identity, f"{name}-{identity}", "finished", {"seed": 1}, {PLAIN: {"precision": p, metric: r}})
        for identity, p, r in points
    ]
    return TrialTable(name, GOALS, tuple(trials), catalogue=Catalogue.of([Entry(name, name, "", "max")]))


def test_one_front_has_the_trials_of_all() -> None:
    one, two = table("one", ("a", 0.9, 0.1), ("b", 0.5, 0.5)), table("two", ("a", 0.6, 0.6), ("c", 0.1, 0.9))
    both = joined([one, two])
    assert (both.sweep, both.parts, both.complaint) == ("one + two", ("one", "two"), None)
    assert [(trial.id, trial.params["sweep"]) for trial in both] == [
        ("a", "one"),
        ("b", "one"),
        ("two/a", "two"),
        ("c", "two"),
    ]
    assert [trial.id for trial in Front(both, PLAIN)] == ["c", "two/a", "a"]
    assert set(both.catalogue.entries) == {"one", "two"}
    assert joined([one]) is one


def test_what_a_sweep_did_not_measure_is_told() -> None:
    both = joined([table("one", ("a", 0.9, 0.1)), table("two", ("b", 0.5, 0.5), metric="fid")])
    assert both.faults == ("recall of sweep two, which did not measure it",)


def test_no_sweep_and_one_named_twice_are_refused() -> None:
    with pytest.raises(UserError, match="one at least"):
        joined([])
    with pytest.raises(UserError, match="every sweep is named once"):
        joined([table("one"), table("one")])
