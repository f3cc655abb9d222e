"""What the audit found is told as a heading, a row of numbers per setting, and sentences; hostile names are text."""

from __future__ import annotations

from dataclasses import replace

from explorer.results.audit import LambdaAudit, audit_lambda
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.running import html, run_part


def heading(audit: LambdaAudit) -> str:
    def draw(audit) -> None:
        from app.views.audit import audit_heading

        audit_heading(audit)

    app = run_part(draw, audit=audit)
    assert not app.exception
    return html(app)


def test_the_heading_says_what_lambda_does_at_the_reading(table: TrialTable) -> None:
    told = heading(audit_lambda(table, At("obrs", 2.0)))
    assert "λ trades recall for precision" in told
    assert "At K = 2" in told
    assert "λ audit at K = 2: 7 values × 3 seeds, Spearman with precision +0.9" in told
    row = told.split("<tbody>")[1].split("</tbody>")[0]
    assert "<td>7 × 3</td>" in row
    assert "<td>trades recall for precision</td>" in row


def test_a_row_per_setting_and_names_are_text(table: TrialTable) -> None:
    trials = tuple(
        replace(trial, id=f"{trial.id}{word}", params={**trial.params, "note": word})
        for trial in table
        for word in ("<script>x</script>", "b")
    )
    told = heading(audit_lambda(replace(table, trials=trials)))
    assert told.split("<tbody>")[1].split("</tbody>")[0].count("<tr>") == 2
    assert "<script>" not in told
    assert "&lt;script&gt;" in told


def test_what_is_missing_is_said(table: TrialTable) -> None:
    def draw(audit) -> None:
        from app.views.audit import few_lambdas, no_lambda

        few_lambdas(audit) if audit.groups else no_lambda()

    two = replace(table, trials=tuple(t for t in table if t.params.get("objective.lam") in (1.0, 3.0)))
    told = html(run_part(draw, audit=audit_lambda(two, PLAIN)))
    assert "6 finished trials in 1 setting have a λ, but no setting has more than 2 values of it" in told
    assert "No λ to audit" in html(run_part(draw, audit=LambdaAudit(())))
