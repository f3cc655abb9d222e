"""The λ audit: rank correlations over trials that differ in λ and seed only, told in plain words."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from explorer.goals import Goal
from explorer.results.audit import audit_lambda, inertness, lambda_of, spearman
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.explorer.results.peaked import peaked
from tests.explorer.results.plain_audit import plain_audit

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


def test_inert_trials_are_named_by_their_lambda_and_the_audit_is_plain_json():
    rows = [trial(lam, 0, lam, -lam, inert=float(lam == 3.0)) for lam in (1.0, 2.0, 3.0)]
    audit = audit_lambda(table(*rows))
    assert audit.inert == (rows[2].id,)
    assert audit.groups[0].inert_at == {3.0: (1, 1, "inert")}
    plain = json.loads(json.dumps(audit.as_dict(), allow_nan=False))
    assert plain["inert"] == [rows[2].id]
    assert plain["groups"][0]["by_seed"] == {
        "0": {"precision": pytest.approx(1), "recall": pytest.approx(-1)}
    }
    assert plain["groups"][0]["defined"] is True
    assert plain["groups"][0]["inert_at"] == [{"lambda": 3.0, "inert": 1, "trials": 1, "how": "inert"}]
    assert plain["groups"][0]["own_lambda"] is None
    assert plain["groups"][0]["alphas_unknown"] == 3
    assert (plain["method"], plain["budget"], plain["groups"][0]["trials"]) == ("none", 1.0, 3)


@pytest.mark.parametrize(
    ("told", "how"),
    [
        ({"lam_below": 0.0, "lam_above": 1.0, "lam_inert": 0.0}, "starves"),
        ({"lam_below": 1.0, "lam_above": 0.0, "lam_inert": 0.0}, "never caps"),
        ({"lam_below": 0.999, "lam_above": 0.001, "lam_inert": 1.0}, "never caps"),
        ({"lam_below": 0.001, "lam_above": 0.999, "lam_inert": 1.0}, "starves"),
        ({"lam_below": 0.4, "lam_above": 0.6, "lam_inert": 0.0}, None),
        ({"lam_below": 0.4, "lam_above": 0.6}, None),
        ({"lam_below": 0.4, "lam_above": 0.6, "lam_inert": 1.0, "lam_never_caps": 1.0}, "never caps"),
        ({"lam_below": 1.0, "lam_above": 0.0, "lam_never_caps": 0.0, "lam_starves": 1.0}, "starves"),
        ({"lam_inert": 1.0}, "inert"),
        ({}, None),
    ],
)
def test_how_lambda_does_nothing_in_training_or_at_the_end(told, how):
    assert inertness(replace(trial(1.0, 0, 0.5, 0.5), readings={PLAIN: told})) == how


def test_bases_are_in_no_group_and_their_seeds_split_none():
    base = {"start.kind": "k"}
    rows = [
        trial(lam, seed, lam, -lam, **base, **{"start.from": f"base-{seed}"})
        for lam in (1.0, 2.0, 3.0)
        for seed in (0, 1)
    ]
    bases = [Trial(f"base-{s}", "r", "finished", {"objective.name": "gan", "seed": s}, {}) for s in (0, 1)]
    (group,) = audit_lambda(table(*bases, *rows)).groups
    assert (group.name, group.seeds, len(group.ids)) == ("", (0, 1), 6)
    other = [replace(row, params={**row.params, "start.kind": "l"}) for row in rows]
    assert [g.name for g in audit_lambda(table(*rows, *other)).groups] == ["base k", "base l"]


def noisy(lams, seeds, effect, scale=1.0):
    """Trials whose precision follows λ as strongly as ``effect`` says, beside noise that is drawn once."""
    rng = np.random.default_rng(7)
    return [
        trial(
            lam, seed, effect * math.log(lam) + scale * rng.normal(), -effect * math.log(lam) + rng.normal()
        )
        for lam in lams
        for seed in range(seeds)
    ]


LAMS = (0.1, 0.3, 1.0, 3.0, 10.0)


def test_a_weak_correlation_of_few_trials_does_not_look_like_a_strong_one():
    (strong,) = audit_lambda(table(*noisy(LAMS, 3, 2.0, 0.1))).groups
    assert strong.precision > 0.85
    assert strong.chance[0] < 0.01
    (weak,) = audit_lambda(table(*noisy(LAMS, 3, 0.15))).groups
    assert abs(weak.precision) < 0.6
    assert weak.chance[0] > 0.05


def test_p_values_are_those_of_all_permutations():
    # Four values, one seed: 24 orders, of which one has ρ = 1 and four have ρ ≥ 0.8.
    rows = [trial(lam, 0, p, 0.0) for lam, p in zip((1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 4.0, 3.0), strict=True)]
    (group,) = audit_lambda(table(*rows)).groups
    assert group.precision == pytest.approx(0.8)
    assert group.chance[0] == pytest.approx(4 / 24, abs=0.04)


def test_under_noise_p_values_are_as_often_small_as_they_say():
    rng = np.random.default_rng(3)
    small = 0
    for _ in range(200):
        rows = [trial(lam, seed, rng.normal(), 0.0) for lam in LAMS for seed in range(2)]
        small += audit_lambda(table(*rows)).groups[0].chance[0] <= 0.1
    assert 8 <= small <= 34  # 20 expected; five standard deviations are 21


def test_seeds_that_differ_do_not_hide_what_lambda_does():
    # Every seed has a level of its own, far larger than what λ does within it.
    rows = [trial(lam, seed, 100 * seed + lam, 0.0) for lam in LAMS for seed in range(4)]
    (group,) = audit_lambda(table(*rows)).groups
    assert group.precision < 0.4
    assert group.chance[0] <= 0.002


def own(ideal, seeds=4):
    """The audit's comparison for models trained at each of LAMS that are best at ``ideal[λ]``."""
    rows = [
        replace(trial(lam, seed, 0.5, 0.5), alphas=peaked(ideal(lam, seed), seed))
        for lam in LAMS
        for seed in range(seeds)
    ]
    return audit_lambda(table(*rows)).groups[0].own


def test_models_that_are_best_at_their_own_lambda_are_found_so():
    found = own(lambda lam, seed: lam)
    assert found.hits == 5
    assert found.regret == (0.0,) * 5
    assert found.best == found.levels == LAMS
    assert found.gain > 0.05
    assert found.p <= 0.002
    assert all(found.within)


def test_models_that_are_not_have_a_regret_and_its_place():
    # Trained at λ they are best at 3λ, as if λ were three times as large.
    found = own(lambda lam, seed: 3.1 * lam)
    assert found.hits == 1  # nobody is better at the smallest λ
    assert found.best == (0.1, 0.1, 0.3, 1.0, 3.0)
    assert found.regret[0] == 0.0
    assert min(found.regret[1:]) > 0.05
    assert found.within[1:] == (False,) * 4
    assert found.worst[0] == max(found.regret)


def test_where_lambda_is_noise_nothing_is_claimed():
    rng = np.random.default_rng(11)
    draws = {(lam, seed): 10 ** rng.uniform(-1, 1) for lam in LAMS for seed in range(4)}
    found = own(lambda lam, seed: draws[lam, seed])
    assert found.p > 0.05
    assert sum(bool(within) for within in found.within) >= 4


def test_a_continuous_lambda_is_one_curve_of_neighbourhoods():
    rng = np.random.default_rng(5)
    rows = []
    for i in range(60):
        lam, rate = 10 ** rng.uniform(-1.5, 1.5), 10 ** rng.uniform(-4, -2)
        one = trial(lam, i % 2, math.log(lam), -math.log(lam), **{"training.generator_lr": rate})
        rows.append(replace(one, alphas=peaked(lam)))
    (group,) = audit_lambda(table(*rows)).groups
    assert group.pooled == ("training.generator_lr",)
    assert len(group.lambdas) == 60
    assert len(group.own.levels) == 6
    assert group.own.hits == 6
    assert group.own.p <= 0.002
    assert group.defined


def test_parameters_of_a_grid_are_not_pooled():
    rows = [
        trial(lam, 0, lam, -lam, **{"training.generator_lr": rate}) for rate in (1e-4, 1e-3) for lam in LAMS
    ]
    assert len(audit_lambda(table(*rows)).groups) == 2


def test_lambdas_beyond_what_was_read_are_left_out():
    rows = [replace(trial(lam, 0, 0.5, 0.5), alphas=peaked(1.0)) for lam in (1e-5, 0.1, 1.0, 1e5)]
    found = audit_lambda(table(*rows)).groups[0].own
    assert found.levels == (0.1, 1.0)


def test_a_model_trained_for_many_λ_has_none_of_its_own():
    readings = [trial(lam, 0, lam / 10, 1 - lam / 10) for lam in (1.0, 2.0, 3.0)]
    base = trial(1.0, 0, 0.5, 0.5, **{"objective.lams": "[0.1, 10.0]"})
    (group,) = audit_lambda(table(base, *readings)).groups
    assert len(group.ids) == 3
    assert lambda_of(base) is None


def scattered_table(seed: int, continuous: bool) -> TrialTable:
    """Trials of a few settings, seeds and λ as they come: some unfinished, some without a curve, a metric or a seed."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(70):
        lam = (
            float(10 ** rng.uniform(-4, 4))
            if continuous
            else float(rng.choice([0.0, 1e-4, 0.1, 0.5, 1.0, 3.0, 10.0]))
        )
        params = {
            "objective.lam": lam,
            "constraint.lipschitz": float(rng.choice([1.0, 5.0])),
            "training.note": str(rng.choice(["a", "b"])),
            **({"seed": int(rng.integers(0, 4))} if rng.random() < 0.9 else {}),
            **({"training.rate": float(rng.random())} if continuous else {}),
        }
        metrics = {
            key: float(value)
            for key, value in (
                ("precision", rng.integers(0, 12) / 10),
                ("recall", rng.random() - 0.1 * np.tanh(lam)),
                ("lam_below", rng.choice([0.0, 0.3, 1.0])),
                ("lam_above", rng.choice([0.0, 0.3, 1.0])),
                ("lam_inert", rng.integers(0, 2)),
            )
            if rng.random() < 0.9
        }
        status = "finished" if rng.random() < 0.9 else "failed"
        alphas = peaked(float(10 ** rng.uniform(-1, 1)), i) if rng.random() < 0.9 else ()
        rows.append(
            Trial(f"{i:012x}", f"run{i}", status, params, {PLAIN: metrics, K2: metrics}, alphas=alphas)
        )
    return table(*rows)


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_quick_audit_is_the_plain_one(seed, continuous, monkeypatch):
    monkeypatch.setattr("explorer.results.permutation.DRAWS", 60)
    trials = scattered_table(seed, continuous)
    plain, quick = plain_audit(trials, PLAIN), audit_lambda(trials).as_dict()["groups"]
    assert len(plain) == len(quick) > 0
    for expected, group in zip(plain, quick, strict=True):
        assert {key: group[key] for key in expected} == _near(expected)


def _near(value):
    """The same with room for the order of sums."""
    if isinstance(value, dict):
        return {key: _near(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_near(part) for part in value]
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value


def test_an_audit_of_some_rows_is_that_of_their_table():
    whole = scattered_table(3, continuous=False)
    rows = np.random.default_rng(0).random(len(whole)) < 0.6
    some = replace(whole, trials=tuple(t for t, kept in zip(whole, rows, strict=True) if kept))
    for at in (PLAIN, K2):
        assert audit_lambda(Columns(whole), at, rows) == audit_lambda(some, at)
    assert audit_lambda(Columns(whole), PLAIN, np.zeros(len(whole), dtype=bool)).groups == ()
