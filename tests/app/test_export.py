"""Files to take away."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from app.export import file_stem, trials_csv, trials_json
from app.selection import quick_picks
from app.style import markdown_safe
from explorer.pareto import front_document, rank
from tests.app.made_sweep import SCRIPT, made_table, made_trials

TABLE = made_table(made_trials(points=5))
RANKING = rank(TABLE)


def test_csv_has_a_row_per_trial_and_budget() -> None:
    rows = list(csv.DictReader(io.StringIO(trials_csv(TABLE, RANKING))))
    assert len(rows) == len(TABLE) * 4
    first = TABLE.trials[0]
    at = next(r for r in rows if r["id"] == first.id and r["K"] == "2")
    assert float(at["precision"]) == first.budgets[2.0]["precision"]
    assert float(at["objective.lam"]) == first.params["objective.lam"]


def test_csv_gives_spreadsheets_no_formula() -> None:
    trial = replace(TABLE.trials[0], params={"note": "=1+1", "seed": -3})
    rows = list(csv.DictReader(io.StringIO(trials_csv(replace(TABLE, trials=(trial,)), RANKING))))
    assert rows[0]["note"] == "'=1+1"
    assert rows[0]["seed"] == "-3"


def test_json_is_what_the_command_prints() -> None:
    broken = replace(TABLE.trials[0], metrics={**TABLE.trials[0].metrics, "fid": float("nan")})
    table = replace(TABLE, trials=(broken, *TABLE.trials[1:]))
    document = json.loads(trials_json(table, RANKING.budget))
    assert document == json.loads(json.dumps(front_document(table, RANKING.budget)))
    assert {t["id"] for t in document["trials"] if t["on_front"]} == rank(table).front
    assert set(document["trials"][1]["budgets"]) == {"1", "1.5", "2", "4"}
    assert document["trials"][0]["metrics"]["fid"] is None


def test_names_are_made_harmless() -> None:
    assert file_stem("../../etc/pass wd") == "etc-pass-wd"
    assert file_stem("<>") == "sweep"
    assert markdown_safe(f"*a* {SCRIPT}", 200).startswith(r"\*a\* \<script\>")


def test_quick_picks_are_the_best_of_the_front() -> None:
    picks = quick_picks(TABLE, RANKING.ranks, 1.0)
    front = {t.id: t.metrics for t in TABLE if t.id in RANKING.front}
    assert set(picks) == {"Sharp", "Balanced", "Diverse", "Low FID"}
    assert front[picks["Sharp"]]["precision"] == max(m["precision"] for m in front.values())
    assert front[picks["Diverse"]]["recall"] == max(m["recall"] for m in front.values())
    assert front[picks["Low FID"]]["fid"] == min(m["fid"] for m in front.values())
    assert quick_picks(TABLE, {}, 1.0) == {}


def test_labels_stay_readable_and_are_no_formatting() -> None:
    assert markdown_safe("objective.lr_g") == "objective.lr_g"
    assert markdown_safe("_a_ www.x.org") == r"\_a\_ www\.x.org"
    assert markdown_safe("![x](http://evil)") == r"\!\[x\](http\://evil)"
    assert markdown_safe("- item") == r"\- item"
    assert markdown_safe("1. item") == r"1\. item"
