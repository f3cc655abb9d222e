"""The λ audit: rank correlations over trials that differ in λ and seed only, told in plain words."""

import json
import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from explorer.goals import Goal
from explorer.results.audit import audit_lambda, spearman
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

K2 = At("obrs", 2.0)


def trial(lam, seed, precision, recall, name="pr", status="finished", inert=0.0, **params):
    identity = f"{name}-{lam}-{seed}-{params}"
    config = {"objective.name": name, "objective.lam": lam, "seed": seed, **params}
    metrics = {"precision": precision, "recall": recall, "lam_inert": inert}
    refined = {"precision": recall, "recall": precision}
    return Trial(identity, identity, status, config, {PLAIN: metrics, K2: refined})


def table(*trials):
    return TrialTable("t", (Goal("precision", "max"),), trials)


few = st.integers(-3, 3).map(float)


@settings(deadline=None)
@given(st.lists(st.tuples(few, few), min_size=2, max_size=20))
def test_spearman_agrees_with_scipy(pairs):
    x, y = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = spearmanr(x, y).statistic
    ours = spearman(x, y)
    assert ours == (None if expected != expected else pytest.approx(expected, abs=1e-12))


def test_perfect_trade_off_over_seeds():
    trials = [
        trial(lam, seed, lam / 10 + seed / 1000, 1 / lam - seed / 1000)
        for lam in (0.5, 1, 2, 4)
        for seed in (0, 1)
    ]
    (group,) = audit_lambda(table(*trials)).groups
    assert (group.lambdas, group.seeds, len(group.ids)) == ((0.5, 1.0, 2.0, 4.0), (0, 1), 8)
    assert group.by_seed == {
        0: (pytest.approx(1), pytest.approx(-1)),
        1: (pytest.approx(1), pytest.approx(-1)),
    }
    assert group.precision == pytest.approx(spearmanr([t.params["objective.lam"] for t in trials],
                                                      [t.metrics["precision"] for t in trials]).statistic)  # fmt: skip
    assert (group.params, group.name) == ({}, "")


def test_the_audit_is_taken_at_its_reading():
    rows = [trial(lam, 0, lam, -lam) for lam in (1.0, 2.0, 3.0)]
    refined = audit_lambda(table(*rows), K2)
    (group,) = refined.groups
    assert (group.precision, group.recall) == (pytest.approx(-1), pytest.approx(1))
    assert (refined.at, refined.where) == (K2, "K = 2")
    assert audit_lambda(table(*rows)).groups[0].precision == pytest.approx(1)
    (unread,) = audit_lambda(table(*rows), At("obrs", 4.0)).groups
    assert (unread.precision, unread.recall) == (None, None)


def test_groups_differ_in_anything_but_lambda_and_seed():
    rows = [trial(lam, 0, lam, -lam, width=width, depth=2) for width in (64, 128) for lam in (1.0, 2.0, 3.0)]
    groups = audit_lambda(table(*rows)).groups
    assert [g.params for g in groups] == [{"width": 64}, {"width": 128}]
    assert [g.name for g in groups] == ["width 64", "width 128"]
    assert groups[1].ids == tuple(row.id for row in rows[3:])


def test_only_finished_trials_with_a_lambda_count():
    rows = [trial(lam, 0, lam, -lam) for lam in (1.0, 2.0, 3.0)]
    others = [
        trial(9.0, 0, -5.0, 5.0, status="killed"),
        trial(None, 0, -5.0, 5.0),
        trial(math.nan, 0, -5.0, 5.0),
        trial(True, 0, -5.0, 5.0),
        trial(None, 0, -5.0, 5.0, name="kl"),
    ]
    (group,) = audit_lambda(table(*rows, *others)).groups
    assert len(group.ids) == 3
    assert audit_lambda(table(*others)).groups == ()


def test_objectives_of_ones_own_with_a_lambda_are_audited_by_themselves():
    rows = [trial(lam, 0, lam, -lam, name=name) for name in ("pr", "mine") for lam in (1.0, 2.0, 3.0)]
    groups = audit_lambda(table(*rows)).groups
    assert [(g.params, len(g.ids)) for g in groups] == [
        ({"objective.name": "pr"}, 3),
        ({"objective.name": "mine"}, 3),
    ]


def test_two_values_of_lambda_are_not_enough():
    (group,) = audit_lambda(table(trial(1.0, 0, 0.1, 0.9), trial(2.0, 0, 0.9, 0.1))).groups
    assert group.precision is None
    assert not group.defined


def test_metric_that_never_moves_has_no_correlation():
    (group,) = audit_lambda(table(*(trial(lam, 0, 0.5, lam) for lam in (1.0, 2.0, 3.0)))).groups
    assert group.precision is None
    assert group.recall == pytest.approx(1)


def test_inert_trials_are_named_by_what_varies_and_the_audit_is_plain_json():
    rows = [trial(lam, 0, lam, -lam, inert=float(lam == 3.0)) for lam in (1.0, 2.0, 3.0)]
    audit = audit_lambda(table(*rows))
    assert audit.inert == (rows[2].id,)
    assert audit.names == {rows[2].id: "λ 3"}
    plain = json.loads(json.dumps(audit.as_dict(), allow_nan=False))
    assert plain["inert"] == [rows[2].id]
    assert plain["groups"][0]["by_seed"] == {
        "0": {"precision": pytest.approx(1), "recall": pytest.approx(-1)}
    }
    assert plain["groups"][0]["defined"] is True
    assert (plain["method"], plain["budget"], plain["groups"][0]["trials"]) == ("none", 1.0, 3)
