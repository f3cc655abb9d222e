"""A table of trials: its readings by method and budget, and the paths that tell trials apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.errors import UserError
from explorer.goals import Goal, parse_goals
from explorer.results.table import Scalar, Status, Trial, TrialTable
from explorer.store.schema import PLAIN, At
from explorer.store.stop import Stop

K2, K4, H2 = At("obrs", 2.0), At("obrs", 4.0), At("halving", 2.0)


def trial(name: str = "a", status: Status = "finished", ats: tuple[At, ...] = (), **params: Scalar) -> Trial:
    readings = {PLAIN: {"precision": 0.5, "critic_loss": 0.1}, **{at: {"precision": at.budget} for at in ats}}
    return Trial(name, f"run-{name}", status, {k.replace("__", "."): v for k, v in params.items()}, readings)


def table(*trials: Trial) -> TrialTable:
    return TrialTable("t", (Goal("precision", "max"),), trials)


def test_a_trial_is_read_at_a_reading() -> None:
    one = trial(ats=(K2, H2))
    assert one.metrics == one.at(PLAIN) == one.at(At("obrs", 1.0)) == {"precision": 0.5, "critic_loss": 0.1}
    assert one.at(K2) == {"precision": 2.0}
    assert one.at(K4) == {}
    assert Trial("x", "x", "running", {}, {}).metrics == {}


def test_the_path_of_a_method_starts_at_the_model_as_it_is() -> None:
    assert trial(ats=(K4, H2, K2)).path("obrs") == [PLAIN, K2, K4]
    assert trial(ats=(K4, H2)).path("halving") == [PLAIN, H2]
    assert trial().path("obrs") == [PLAIN]


def test_seeds_repeat_a_point() -> None:
    one, two = trial("a", objective__lam=1.0, seed=0), trial("b", objective__lam=1.0, seed=1)
    assert (one.seed, two.seed) == (0, 1)
    assert one.point() == two.point() == (("objective.lam", False, 1.0),)
    assert trial().seed is None


def test_methods_and_budgets_are_those_of_some_trial() -> None:
    both = table(trial("a", ats=(K4, K2)), trial("b", ats=(H2, At("obrs", 1.5))))
    assert both.methods() == ["obrs", "halving"]
    assert both.budgets("halving") == [1.0, 2.0]
    assert both.budgets("obrs") == both.budgets() == [1.0, 1.5, 2.0, 4.0], (
        "the first method, if none is named"
    )
    assert (both.reading(2.0), both.reading(2.0, "halving"), both.reading(1.0, "obrs")) == (K2, H2, PLAIN)
    bare = table(trial())
    assert (bare.methods(), bare.budgets(), bare.reading(2.0)) == ([], [1.0], At("none", 2.0))


def test_a_sweep_is_shown_by_the_method_of_most_trials() -> None:
    """Else one trial that is read through another one afterwards would change what a sweep shows."""
    swept = table(trial("a", ats=(H2,)), trial("b", ats=(H2, K2)), trial("c", ats=(At("above", 2.0),)))
    assert swept.methods() == ["halving", "obrs", "above"]
    assert swept.reading(2.0) == H2
    twice = table(trial("a", ats=(K2, K4)), trial("b", ats=(H2,)), trial("c", ats=(H2,)))
    assert twice.methods() == ["halving", "obrs"], "trials are counted, not readings"


def test_names_are_in_the_catalogues_order() -> None:
    one = table(trial(ats=(K2,)))
    assert one.metric_names() == ["precision", "critic_loss"]
    assert one.shown_metrics() == ["precision"]
    assert one.metric_names(K2) == ["precision"]
    assert one.metric_names(K4) == []
    assert (one.title("precision"), one.title("objective.lam"), one.title("seed")) == (
        "Precision",
        "λ",
        "seed",
    )


def test_only_finished_trials_are_finished() -> None:
    every: list[Status] = ["finished", "failed", "killed", "running"]
    whole = table(*(trial(status, status) for status in every))
    assert [t.id for t in whole.finished()] == ["finished"]
    assert len(whole) == 4


def test_failures_are_told_by_reason_what_befell_most_first() -> None:
    lost = [
        replace(trial(name, "failed"), reason=why)
        for name, why in zip("abcd", ("x", "y", None, "y"), strict=True)
    ]
    found = table(trial("e"), trial("f", "killed"), *lost).failures()
    assert [(why, [t.id for t in trials]) for why, trials in found.items()] == [
        ("y", ["b", "d"]),
        ("x", ["a"]),
        ("no reason given", ["c"]),
    ]


def test_stops_are_told_by_what_befell_the_trials() -> None:
    def ended(name: str, reason: str) -> Trial:
        return replace(trial(name), stopped=Stop(20, "x", reason))

    lost = replace(trial("d", "failed"), reason="out of memory", stopped=Stop(1, "x", "starved"))
    rows = table(
        ended("a", "starved: 0.00%"), ended("b", "collapsed"), ended("c", "starved: 0.01%"), lost, trial("e")
    )
    assert {kind: [t.id for t in trials] for kind, trials in rows.stops().items()} == {
        "starved": ["a", "c"],
        "collapsed": ["b"],
    }
    assert list(rows.stops()) == ["starved", "collapsed"]
    assert [t.why for t in rows] == [
        "stopped at iteration 20: starved: 0.00%",
        "stopped at iteration 20: collapsed",
        "stopped at iteration 20: starved: 0.01%",
        "out of memory",
        None,
    ]


def test_a_finished_trial_whose_later_reading_failed_was_not_ended_by_that() -> None:
    read = replace(trial("a"), reason="its checkpoint is damaged")
    assert read.why == "a further reading failed: its checkpoint is damaged"
    both = replace(read, stopped=Stop(20, "x", "starved"))
    assert both.why == "stopped at iteration 20: starved; a further reading failed: its checkpoint is damaged"
    assert replace(read, status="failed").why == "its checkpoint is damaged"
    assert replace(trial("b", "killed"), stopped=Stop(1, "x", "starved")).why is None


def test_bases_are_those_that_others_begin_at() -> None:
    rows = table(
        trial("a"), trial("b"), trial("c", **{"start__from": "b"}), trial("d", **{"start__from": "x"})
    )
    assert rows.bases() == {"b", "x"}


def test_what_varies_is_what_tells_trials_apart() -> None:
    rows = table(
        trial("a", objective__name="pr", objective__lam=1.0, objective__critic="chi2", seed=0, batch=1),
        trial("b", objective__name="pr", objective__lam=2.0, objective__critic="chi2", seed=0, batch=1),
        trial("c", objective__name="kl", seed=0, batch=1),
    )
    assert rows.varying() == ["objective.lam", "objective.name"], "the critic follows from the objective"
    assert table(trial("a", x=1), trial("b", x=True)).varying() == ["x"], "1 and true are two values"


def test_the_best_of_what_is_to_be_small_is_told_with_its_title() -> None:
    rows = [Trial(name, name, "finished", {}, {PLAIN: {"fid": v}}) for name, v in (("a", 3.0), ("b", 2.0))]
    goals = parse_goals({"precision": "max", "fid": "min"})
    assert TrialTable("t", goals, tuple(rows)).best_small() == ("FID", 2.0)
    assert TrialTable("t", goals[:1], tuple(rows)).best_small() is None
    assert [TrialTable("t", goals, ()).title_in_text(n) for n in ("fid", "recall")] == ["FID", "recall"]


def test_a_reading_that_no_trial_has_is_refused() -> None:
    both = table(trial("a", ats=(K2,)), trial("b", ats=(H2,)))
    assert (both.reading_at(2.0, "obrs"), both.reading_at(1.0)) == (K2, PLAIN)
    with pytest.raises(
        UserError, match=r"the budget must be one at which sweep '.*' was read \(1, 2\), got 3"
    ):
        both.reading_at(3.0, "obrs")
    with pytest.raises(UserError, match=r"the method must be one .* \(obrs, halving\), got 'obsr'"):
        both.reading_at(2.0, "obsr")


def test_the_model_as_it_is_may_be_asked_for_by_name() -> None:
    rows = table(trial("a", ats=(PLAIN, At("obrs", 2.0))))
    assert rows.reading_at(1.0, "none") == PLAIN
    with pytest.raises(UserError, match="the method must be one through which"):
        rows.reading_at(2.0, "none")


def test_a_base_is_told_from_what_begins_at_it_by_being_one() -> None:
    bases = [trial(f"b{s}", objective__name="gan", training__iterations=9, seed=s) for s in (0, 1)]
    later = [
        trial(
            f"{lam}-{s}",
            objective__name="pr",
            objective__lam=lam,
            seed=s,
            start__from=f"b{s}",
            start__kind="k",
        )
        for s in (0, 1)
        for lam in (1.0, 5.0)
    ]
    assert table(*bases, *later).varying() == ["objective.lam", "seed"]
    assert later[0].point() == later[2].point() != later[1].point(), "another seed has another base"
    assert bases[0].point() == bases[1].point()
