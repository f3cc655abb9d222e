"""The λ audit is drawn at the reading shown, where there are three values of λ or more."""

from __future__ import annotations

from dataclasses import replace

from explorer.figures import spread_by_lambda
from explorer.results.audit import audit_lambda
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.running import figures, html, run_part


def drawn(table: TrialTable, at: At):
    def draw(table, audit) -> None:
        from app.views.audit import audit_view

        audit_view(table, audit)

    return run_part(draw, table=table, audit=audit_lambda(table, at))


def test_the_figure_says_what_lambda_does_at_the_reading(table: TrialTable) -> None:
    at = At("obrs", 2.0)
    app = drawn(table, at)
    figure = figures(app)["audit"]
    assert figure["layout"]["title"]["text"] == "λ trades recall for precision"
    assert "K = 2" in figure["layout"]["title"]["subtitle"]["text"]
    line = next(t for t in figure["data"] if t.get("name") == "Recall")
    assert line["y"] == [row[1] for row in spread_by_lambda(table.finished(), "recall", at)]
    assert "λ audit at K = 2: 7 values × 3 seeds, Spearman with precision +0.9" in html(app)


def test_too_few_values_are_a_sentence_and_no_values_nothing(table: TrialTable) -> None:
    two = replace(table, trials=tuple(t for t in table if t.params.get("objective.lam") in (1.0, 3.0)))
    app = drawn(two, PLAIN)
    assert figures(app) == {}
    assert "not defined in 1 setting (6 trials) of fewer than 3 values of λ" in html(app)
    none = replace(table, trials=tuple(t for t in table if "objective.lam" not in t.params))
    app = drawn(none, PLAIN)
    assert figures(app) == {}
    assert html(app) == ""
