"""What the λ audit says in words follows from its numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.report.sentences import STRONG, audit_numbers, audit_title
from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from explorer.results.table import TrialTable


def group(precision: float | None, recall: float | None, trials: int = 3) -> LambdaAudit:
    lambdas = (0.1, 1.0, 10.0)
    return LambdaAudit((LambdaGroup({}, lambdas, (0,), trials, precision, recall, {}, ()),))


@pytest.mark.parametrize(
    ("precision", "recall", "title"),
    [
        (0.9, -0.9, "λ trades recall for precision"),
        (STRONG, -STRONG, "λ trades recall for precision"),
        (0.9, -0.1, "λ raises precision, but does not order recall"),
        (0.2, -0.9, "λ lowers recall, but does not order precision"),
        (-0.9, 0.9, "λ orders neither precision nor recall"),
        (None, None, "Precision and recall against λ"),
    ],
)
def test_the_audits_title_says_what_was_found(
    precision: float | None, recall: float | None, title: str
) -> None:
    assert audit_title(group(precision, recall)) == title


def test_the_audits_numbers(table: TrialTable) -> None:
    assert audit_numbers(group(0.91, -0.876))[0] == "+0.91 / −0.88"
    assert audit_numbers(group(0.91, None))[0] == "+0.91 / –"
    assert audit_numbers(LambdaAudit(())) == ("–", "no trials with λ")
    assert audit_numbers(group(None, None)) == ("–", "needs three values of λ")
    assert audit_numbers(audit_lambda(table))[0].startswith("+0.9")


def test_the_group_of_most_trials_speaks_and_others_are_counted(table: TrialTable) -> None:
    small, large = group(0.1, -0.1, 3).groups[0], group(0.9, -0.9, 8).groups[0]
    both = LambdaAudit((small, large))
    assert audit_title(both) == "λ trades recall for precision"
    assert audit_numbers(both) == ("+0.90 / −0.90", "ρ of λ with precision / recall, 1 of 2 groups")
    halves = tuple(
        replace(t, params={**t.params, "training.ema": 0.5 if i % 3 else 0.9}) for i, t in enumerate(table)
    )
    assert len(audit_lambda(replace(table, trials=halves)).groups) == 2
