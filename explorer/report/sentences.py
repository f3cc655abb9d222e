"""What the numbers of a sweep say, in words."""

from __future__ import annotations

from explorer.results.audit import LambdaAudit, LambdaGroup

__all__ = ["STRONG", "audit_numbers", "audit_title"]

STRONG = 0.8
"""Rank correlation from which we say that λ orders a metric."""


def audit_numbers(audit: LambdaAudit) -> tuple[str, str]:
    """Headline and note of the λ audit: the group of most trials speaks, others are counted."""
    group = _main(audit)
    if group is None:
        return "–", "no trials with λ" if not audit.groups else "needs three values of λ"
    others = len(audit.groups) - 1
    note = "ρ of λ with precision / recall" + (f", 1 of {others + 1} groups" if others else "")
    return f"{_signed(group.precision)} / {_signed(group.recall)}", note


def audit_title(audit: LambdaAudit) -> str:
    """What λ does, as a figure's title."""
    group = _main(audit)
    if group is None or group.precision is None or group.recall is None:
        return "Precision and recall against λ"
    up, down = group.precision >= STRONG, group.recall <= -STRONG
    if up and down:
        return "λ trades recall for precision"
    if up:
        return "λ raises precision, but does not order recall"
    if down:
        return "λ lowers recall, but does not order precision"
    return "λ orders neither precision nor recall"


def _main(audit: LambdaAudit) -> LambdaGroup | None:
    defined = [g for g in audit.groups if g.precision is not None or g.recall is not None]
    return max(defined, key=lambda g: g.trials, default=None)


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")
