"""What a reader sees when pointing at a trial: the telling parameters first, and nothing but text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from explorer.figures.hover import MAX_LENGTH, MAX_PARAMS, hover_text, safe
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import SCRIPT, SPARKLE


def hover(table: TrialTable, trial: Trial, varying: Sequence[str], at: At, rank: int | None) -> str:
    return hover_text(table, trial, varying, at, rank, table.words(at))


def test_hover_has_varying_parameters_first_and_escapes_values(table: TrialTable) -> None:
    trial = replace(table.trials[0], params={**table.trials[0].params, "note": SCRIPT, "long": "z" * 500})
    text = hover(table, trial, ["note", "long", "objective.lam"], PLAIN, 0)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert max(map(len, text.split("<br>"))) < 200
    assert text.index("note") < text.index("λ") < text.index("Precision")


def test_hover_tells_the_reading_it_shows(table: TrialTable) -> None:
    trial, at = table.trials[0], At("obrs", 4.0)
    text = hover(table, trial, table.varying(), at, 2)
    assert "dominated, rank 2" in text
    assert "K = 4" in text.split("<br>")
    assert f"Precision <b>{trial.readings[at]['precision']:.3g}</b>" in text
    assert "not ranked" in hover(table, trial, [], at, None)


def test_hover_names_a_method_that_is_not_the_usual_one(two_methods: TrialTable) -> None:
    text = hover(two_methods, two_methods.trials[0], [], At("other", 3.0), 0)
    assert "K = 3, other" in text.split("<br>")


def test_hover_leaves_diagnostics_out_and_knows_titles_of_the_sweep(newer: TrialTable) -> None:
    text = hover(newer, newer.trials[0], newer.varying(), PLAIN, 0)
    assert f"{SPARKLE.title} <b>2</b>" in text
    assert "Critic loss" not in text


def test_a_long_config_is_cut(table: TrialTable) -> None:
    params = {f"p{i:02d}": i for i in range(MAX_PARAMS + 5)}
    text = hover(table, replace(table.trials[0], params=params), sorted(params), PLAIN, 0)
    assert "and 5 more" in text
    assert f"p{MAX_PARAMS:02d}" not in text


def test_safe_cuts_first_and_escapes_then() -> None:
    assert safe("a\nb\x00c") == "a b c"
    assert safe("<" * 100, 5) == "&lt;&lt;&lt;&lt;…"
    assert safe("x" * MAX_LENGTH) == "x" * MAX_LENGTH
    assert safe("x" * (MAX_LENGTH + 1)).endswith("…")


def test_safe_looks_at_what_it_shows_only() -> None:
    began = time.perf_counter()
    assert safe("x\n" * 5_000_000, 5) == "x x …"
    assert time.perf_counter() - began < 0.2
