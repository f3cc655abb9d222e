"""What was trained: fields explained on hover by the member that has them, values as text."""

from __future__ import annotations

import re

from app.views.config import _member, field_list
from explorer.results.table import Trial, TrialTable
from tests.app.made_sweep import MADE, SCRIPT, read_table


def test_fields_have_titles_values_and_a_sentence(store_uri: str) -> None:
    table = read_table(store_uri, MADE)
    trial = table.trials[0]
    shown = field_list(table, trial, ["objective.lam", "training.batch_size"])
    assert re.search(r'<dt title="[^"]{10,}">λ</dt><dd>0.05</dd>', shown)
    assert re.search(r'<dt title="[^"]{10,}">training.batch_size</dt><dd>256</dd>', shown)


def test_values_of_others_are_text_and_a_path_stands_in_for_a_sentence() -> None:
    trial = Trial("a", "r", "finished", {SCRIPT: SCRIPT}, {})
    shown = field_list(TrialTable("s", (), (trial,)), trial, [SCRIPT])
    assert SCRIPT not in shown
    assert shown.count("&lt;script&gt;") == 3


def test_the_member_of_a_field_is_the_one_that_the_trial_names() -> None:
    trial = Trial("a", "r", "finished", {"model.name": "dcgan", "model.width": 8, "seed": 0, "x.name": 3}, {})
    assert _member(trial, "model.width") == "dcgan"
    assert _member(trial, "model.name") is None
    assert _member(trial, "seed") is None
    assert _member(trial, "x.width") is None
