"""What the λ audit says in words follows from its numbers."""

from __future__ import annotations

import pytest

from explorer.goals import Goal
from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from explorer.results.sentences import STRONG, TOLD, audit_numbers, audit_sentences, audit_title, correlations
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At


def group(precision: float | None, recall: float | None, name: str = "") -> LambdaGroup:
    lambdas = (0.1, 1.0, 10.0)
    return LambdaGroup({}, name, ("a", "b", "c"), lambdas, (0,), precision, recall, {}, ())


def table(*points: tuple[float, int, float], inert: bool = False) -> TrialTable:
    """Trials of (λ, seed, L)."""
    return TrialTable(
        "t",
        (Goal("precision", "max"),),
        tuple(
            Trial(
                f"{i:012x}",
                f"run{i}",
                "finished",
                {"objective.lam": lam, "seed": seed, "constraint.lipschitz": bound},
                {PLAIN: {"precision": lam, "recall": -lam, "lam_inert": float(inert)}},
            )
            for i, (lam, seed, bound) in enumerate(points)
        ),
    )


@pytest.mark.parametrize(
    ("precision", "recall", "title"),
    [
        (0.9, -0.9, "λ trades recall for precision"),
        (STRONG, -STRONG, "λ trades recall for precision"),
        (0.9, -0.1, "λ raises precision, but does not order recall"),
        (0.2, -0.9, "λ lowers recall, but does not order precision"),
        (-0.9, 0.9, "λ orders neither precision nor recall"),
        (None, None, "Precision and recall against λ"),
        (0.9, None, "Precision and recall against λ"),
    ],
)
def test_the_audits_title_says_what_was_found(
    precision: float | None, recall: float | None, title: str
) -> None:
    assert audit_title(LambdaAudit((group(precision, recall),))) == title


def test_several_groups_share_a_title_if_they_agree_and_are_counted_if_not() -> None:
    good, flat, up = group(0.9, -0.9), group(0.1, -0.1), group(0.9, 0.0)
    assert audit_title(LambdaAudit((good, good))) == "λ trades recall for precision"
    assert audit_title(LambdaAudit((good, flat, up))) == "λ trades recall for precision in 1 of 3 settings"
    assert audit_title(LambdaAudit((flat, up))) == "λ trades recall for precision in none of 2 settings"


def test_the_audits_numbers() -> None:
    one = LambdaAudit((group(0.91, -0.876),), At("obrs", 2.0), "K = 2")
    assert audit_numbers(one) == (
        "+0.91 / −0.88",
        "ρ with precision / recall, K\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}2",
    )
    assert correlations(group(0.91, None)) == "+0.91 / –"
    assert audit_numbers(LambdaAudit(())) == ("–", "no trials with λ")
    assert audit_numbers(LambdaAudit((group(None, None),))) == ("–", "needs 3 values of λ")
    several = LambdaAudit((group(0.1, -0.1), group(0.9, -0.9)))
    assert audit_numbers(several) == (
        "1 of 2",
        "settings where λ trades recall for precision, K\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}1",
    )


def test_a_line_per_group_says_where_it_was_read() -> None:
    lambdas = (1.0, 2.0, 3.0)
    one = audit_lambda(table(*((lam, seed, 5.0) for lam in lambdas for seed in (0, 1))))
    assert audit_sentences(one) == [
        "λ audit at K = 1: 3 values × 2 seeds, Spearman with precision +1.00, with recall -1.00"
    ]
    two = audit_lambda(table(*((lam, 0, bound) for lam in lambdas for bound in (5.0, 25.0))), At("obrs", 2.0))
    assert audit_sentences(two) == [
        f"λ audit at K = 2 ({name}): 3 values × 1 seed, Spearman with precision not defined, with recall not defined"
        for name in ("L 5", "L 25")
    ]


def test_groups_of_few_values_are_one_line_of_counts() -> None:
    continuous = table(*((0.1 + i, seed, 1.0 + i) for i in range(40) for seed in (0, 1)))
    assert audit_sentences(audit_lambda(continuous)) == [
        "λ audit at K = 1: not defined in 40 settings (80 trials) of fewer than 3 values of λ"
    ]
    mixed = table((1.0, 0, 5.0), (2.0, 0, 5.0), (3.0, 0, 5.0), (1.0, 0, 25.0))
    assert len(audit_sentences(audit_lambda(mixed))) == 2
    assert "not defined in 1 setting (1 trial) of" in audit_sentences(audit_lambda(mixed))[1]


def test_many_groups_are_cut_and_counted() -> None:
    many = table(*((lam, 0, float(bound)) for bound in range(TOLD + 3) for lam in (1.0, 2.0, 3.0)))
    lines = audit_sentences(audit_lambda(many))
    assert len(lines) == TOLD + 1
    assert lines[-1] == "λ audit: 3 settings more; --json has them all"


def test_inert_trials_are_named_by_what_varies() -> None:
    few = audit_lambda(table((0.1, 0, 20.0), (0.1, 1, 20.0), inert=True))
    assert audit_sentences(few)[-1] == "λ did nothing (inert) in 2 trials: seed 0, seed 1"
    many = audit_lambda(table(*((0.1, seed, float(b)) for seed in range(8) for b in (5, 20)), inert=True))
    line = audit_sentences(many)[-1]
    assert line.startswith("λ did nothing (inert) in 16 trials: L 5 · seed 0, ")
    assert line.endswith(" and 4 more")
