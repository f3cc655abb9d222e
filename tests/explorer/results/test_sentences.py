"""What the λ audit says in words follows from its numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.goals import Goal
from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from explorer.results.sentences import (
    LUCK,
    STRONG,
    TOLD,
    WEAK,
    audit_numbers,
    audit_sentences,
    audit_title,
    correlations,
    verdict,
)
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.explorer.results.peaked import peaked

NB = "\N{NO-BREAK SPACE}"


def group(
    precision: float | None, recall: float | None, name: str = "", chance: float | None = 0.001
) -> LambdaGroup:
    lambdas = (0.1, 1.0, 10.0)
    return LambdaGroup(
        {}, name, ("a", "b", "c"), lambdas, (0,), precision, recall, {}, (), chance=(chance, chance)
    )


def table(*points: tuple[float, int, float], inert: bool = False, **told: float) -> TrialTable:
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
                {PLAIN: {"precision": lam, "recall": -lam, "lam_inert": float(inert), **told}},
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
        (0.64, -0.64, "λ tends to trade recall for precision"),
        (0.64, -0.9, "λ tends to raise precision and lowers recall"),
        (0.9, -0.5, "λ raises precision and tends to lower recall"),
        (0.64, 0.1, "λ tends to raise precision, but does not order recall"),
        (-0.9, -0.64, "λ tends to lower recall, but does not order precision"),
        (WEAK - 0.01, -0.1, "λ orders neither precision nor recall"),
        (-0.9, 0.1, "λ orders neither precision nor recall"),
        (-0.9, 0.9, "λ works the wrong way round: precision falls with it, and recall rises"),
        (None, None, "Precision and recall against λ"),
        (0.9, None, "Precision and recall against λ"),
    ],
)
def test_the_audits_title_says_what_was_found(
    precision: float | None, recall: float | None, title: str
) -> None:
    assert audit_title(LambdaAudit((group(precision, recall),))) == title


def test_what_luck_would_do_as_well_is_not_claimed() -> None:
    assert audit_title(LambdaAudit((group(0.9, -0.9, chance=0.2),))) == (
        "λ may trade recall for precision; too few trials to tell"
    )
    assert audit_title(LambdaAudit((group(0.9, -0.9, chance=LUCK),))) == "λ trades recall for precision"
    assert audit_title(LambdaAudit((group(0.64, -0.64, chance=0.2),))) == (
        "λ orders neither precision nor recall"
    )
    unsure = group(0.9, -0.1, chance=0.2)
    assert verdict(unsure) == "λ orders neither precision nor recall"
    assert verdict(replace(group(0.9, -0.9), chance=(0.2, 0.001))) == (
        "λ may trade recall for precision; too few trials to tell"
    )


def test_several_groups_share_a_title_if_they_agree_and_are_counted_if_not() -> None:
    good, flat, up = group(0.9, -0.9), group(0.1, -0.1), group(0.9, 0.0)
    assert audit_title(LambdaAudit((good, good))) == "λ trades recall for precision"
    assert audit_title(LambdaAudit((good, flat, up))) == "λ trades recall for precision in 1 of 3 settings"
    assert audit_title(LambdaAudit((flat, up))) == "λ trades recall for precision in none of 2 settings"


def test_the_audits_numbers() -> None:
    one = LambdaAudit((group(0.91, -0.876),), At("obrs", 2.0), "K = 2")
    assert audit_numbers(one) == (
        "+0.91 / −0.88",
        "ρ with precision / recall, K = 2, p < 0.01".replace(" = ", f"{NB}={NB}").replace(
            "p < ", f"p{NB}<{NB}"
        ),
    )
    assert correlations(group(0.91, None)) == "+0.91 / –"
    assert audit_numbers(LambdaAudit(())) == ("–", "no trials with λ")
    assert audit_numbers(LambdaAudit((group(None, None),))) == ("–", "needs 3 values of λ")
    several = LambdaAudit((group(0.1, -0.1), group(0.9, -0.9)))
    assert audit_numbers(several) == (
        "1 of 2",
        "settings where λ trades recall for precision, K\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}1",
    )


def _plain(lines: list[str]) -> list[str]:
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def test_two_lines_per_group_say_where_it_was_read_and_how_easily_luck_does_as_well() -> None:
    lambdas = (1.0, 2.0, 3.0)
    one = audit_lambda(table(*((lam, seed, 5.0) for lam in lambdas for seed in range(4))))
    assert _plain(audit_sentences(one)) == [
        "λ audit at K = 1: 3 values × 4 seeds, Spearman with precision +1.00 (p < 0.01), with recall -1.00 (p < 0.01)",
        "α_λ at the own λ: not known; 12 trials have no curve that tells it",
    ]
    two = audit_lambda(table(*((lam, 0, bound) for lam in lambdas for bound in (5.0, 25.0))), At("obrs", 2.0))
    assert _plain(audit_sentences(two))[::2] == [
        f"λ audit at K = 2 ({name}): 3 values × 1 seed, Spearman with precision not defined, with recall not defined"
        for name in ("L 5", "L 25")
    ]


def test_what_a_search_draws_from_a_continuum_is_one_group() -> None:
    continuous = table(*((0.1 + i, seed, 1.0 + i) for i in range(40) for seed in (0, 1)))
    first, second = _plain(audit_sentences(audit_lambda(continuous)))
    assert first == (
        "λ audit at K = 1: 40 values × 2 seeds, Spearman with precision +1.00 (p < 0.01), "
        "with recall -1.00 (p < 0.01); constraint.lipschitz differ too"
    )
    assert "not known" in second


def test_groups_of_few_values_are_one_line_of_counts() -> None:
    mixed = table((1.0, 0, 5.0), (2.0, 0, 5.0), (3.0, 0, 5.0), (1.0, 0, 25.0))
    assert len(audit_sentences(audit_lambda(mixed))) == 3
    assert "not defined in 1 setting (1 trial) of" in audit_sentences(audit_lambda(mixed))[2]


def test_many_groups_are_cut_and_counted() -> None:
    many = table(*((lam, 0, float(bound)) for bound in range(TOLD + 3) for lam in (1.0, 2.0, 3.0)))
    lines = audit_sentences(audit_lambda(many))
    assert len(lines) == 2 * TOLD + 1
    assert lines[-1] == "λ audit: 3 settings more; tradeoff front --json has them all"


def test_inert_lambdas_are_named_by_their_values() -> None:
    few = audit_lambda(table((0.1, 0, 20.0), (0.1, 1, 20.0), (0.5, 0, 20.0), inert=True, lam_never_caps=1.0))
    assert audit_sentences(few)[-1] == (
        "λ did nothing (inert): λ 0.1 in 2 of 2 trials (never caps), λ 0.5 in 1 of 1 trial (never caps)"
    )
    points = ((lam, 0, float(bound)) for lam in (0.1, 0.2) for bound in range(TOLD + 2))
    many = audit_lambda(table(*points, inert=True, lam_starves=1.0))
    lines = [line for line in audit_sentences(many) if "inert" in line]
    assert lines[0] == (
        "λ did nothing (inert) (L 0): λ 0.1 in 1 of 1 trial (starves), λ 0.2 in 1 of 1 trial (starves)"
    )
    assert lines[-1] == "λ did nothing (inert) in 4 trials of 2 more settings"
    earlier = audit_lambda(table((0.1, 0, 20.0), inert=True))
    assert audit_sentences(earlier)[-1] == "λ did nothing (inert): λ 0.1 in 1 of 1 trial", (
        "it did not say how"
    )


@pytest.mark.parametrize(
    ("best", "words"), [(True, "best at 5 of 5 values"), (False, "best at 0 of 5 values")]
)
def test_the_own_lambda_is_told_with_its_regret(best: bool, words: str) -> None:
    lambdas = (0.1, 0.3, 1.0, 3.0, 10.0)
    ideal = {lam: lam if best else lambdas[(i + 2) % 5] for i, lam in enumerate(lambdas)}
    trials = tuple(
        replace(trial, alphas=peaked(ideal[lam], seed))
        for trial, (lam, seed) in zip(
            table(*((lam, seed, 5.0) for lam in lambdas for seed in range(4))),
            ((lam, seed) for lam in lambdas for seed in range(4)),
            strict=True,
        )
    )
    line = _plain(audit_sentences(audit_lambda(replace(table(), trials=trials))))[1]
    assert words in line
    assert ("largest regret" in line) is not best
    assert ("(p < 0.01)" in line) is best
