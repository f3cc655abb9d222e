"""Files to take away are those that the command writes."""

from __future__ import annotations

import json
from dataclasses import replace

from app.export import file_stem, trials_json
from explorer.pareto import front_document, rank
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import HOSTILE_SWEEP


def test_json_is_what_the_command_prints(table: TrialTable) -> None:
    first = table.trials[0]
    broken = replace(first, readings={**first.readings, PLAIN: {**first.metrics, "fid": float("nan")}})
    spoilt = replace(table, trials=(broken, *table.trials[1:]))
    at = At("obrs", 2.0)
    document = json.loads(trials_json(spoilt, at))
    assert document == json.loads(json.dumps(front_document(spoilt, at)))
    assert {t["id"] for t in document["trials"] if t["on_front"]} == rank(spoilt, at).front
    assert (document["method"], document["budget"]) == ("obrs", 2.0)
    assert set(document["trials"][1]["budgets"]) == {"1", "1.5", "2", "4"}
    assert document["trials"][0]["metrics"]["fid"] is None


def test_names_are_made_harmless() -> None:
    assert file_stem("../../etc/pass wd") == "etc-pass-wd"
    assert file_stem("<>") == "sweep"
    assert file_stem(HOSTILE_SWEEP).startswith("script-window.hacked-1-script-bold-xxx")
    assert len(file_stem(HOSTILE_SWEEP)) == 60
