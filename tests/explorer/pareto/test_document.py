"""The front as JSON: every trial with its readings and rank, and nothing that JSON cannot say."""

from __future__ import annotations

import json
import math
from dataclasses import replace

from explorer.goals import Goal
from explorer.pareto import front_document
from explorer.pareto.document import reading_order
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from explorer.store.stop import Stop

K2, H3 = At("obrs", 2.0), At("halving", 3.0)


def both(precision: float, fid: float) -> dict[str, float]:
    return {"precision": precision, "fid": fid}


TABLE = TrialTable(
    "t",
    (Goal("precision", "max"), Goal("fid", "min")),
    (
        Trial("a", "ra", "finished", {"seed": 0}, {PLAIN: both(0.9, 2.0), K2: both(0.5, 3.0)}),
        Trial("b", "rb", "finished", {"seed": 1}, {PLAIN: both(0.8, 3.0), K2: both(0.6, 1.0), H3: {"precision": 1.0}}),
        Trial("c", "rc", "killed", {}, {PLAIN: {"precision": math.inf}}),
    ),
)  # fmt: skip


def test_it_is_plain_json_with_null_for_what_is_not_finite() -> None:
    document = json.loads(json.dumps(front_document(TABLE), allow_nan=False))
    assert (document["sweep"], document["objectives"]) == ("t", {"precision": "max", "fid": "min"})
    assert (document["method"], document["budget"]) == ("none", 1.0)
    assert document["trials"][2]["metrics"] == {"precision": None}
    assert document["trials"][2]["rank"] is None
    assert [t["on_front"] for t in document["trials"]] == [True, False, False]
    assert document["audit"] == {"method": "none", "budget": 1.0, "groups": [], "inert": []}


def test_why_a_trial_ended_otherwise_is_told() -> None:
    ended = replace(TABLE.trials[0], stopped=Stop(20, "x", "collapsed: one point"))
    failed = replace(TABLE.trials[2], status="failed", reason="out of memory")
    document = front_document(replace(TABLE, trials=(ended, TABLE.trials[1], failed)))
    told = ["stopped at iteration 20: collapsed: one point", None, "out of memory"]
    assert [trial["why"] for trial in document["trials"]] == told


def test_at_another_reading_others_are_on_the_front() -> None:
    document = front_document(TABLE, K2)
    assert (document["method"], document["budget"]) == ("obrs", 2.0)
    assert [t["rank"] for t in document["trials"]] == [1, 0, None]


def test_every_reading_is_listed_the_model_as_it_is_first() -> None:
    readings = front_document(TABLE)["trials"][1]["readings"]
    assert [(r["method"], r["budget"]) for r in readings] == [("none", 1.0), ("halving", 3.0), ("obrs", 2.0)]
    assert readings[2]["metrics"] == {"precision": 0.6, "fid": 1.0}


def test_budgets_are_those_of_the_method_shown() -> None:
    assert list(front_document(TABLE, K2)["trials"][1]["budgets"]) == ["1", "2"]
    assert list(front_document(TABLE, H3)["trials"][1]["budgets"]) == ["1", "3"]
    assert list(front_document(TABLE)["trials"][0]["budgets"]) == ["1", "2"], "the method of most trials"


def test_a_table_without_trials_is_still_a_document() -> None:
    empty = json.loads(json.dumps(front_document(TrialTable("t", TABLE.goals, ())), allow_nan=False))
    assert (empty["hypervolume"], empty["trials"]) == (0.0, [])
    assert empty["reference"] == {"precision": 0, "fid": None}


def test_the_order_of_readings() -> None:
    assert sorted([K2, H3, At("obrs", 1.5), PLAIN], key=reading_order) == [PLAIN, H3, At("obrs", 1.5), K2]
