"""What the λ audit found, in words: lines for a terminal, a headline, a figure's title."""

from __future__ import annotations

from explorer.results.audit import ENOUGH, LambdaAudit, LambdaGroup

__all__ = ["STRONG", "audit_numbers", "audit_sentences", "audit_title", "correlations"]

STRONG = 0.8
"""Rank correlation from which we say that λ orders a metric."""
TOLD = 12
"""Groups and inert trials told by name; the others are counted."""
TRADES = "λ trades recall for precision"


def audit_sentences(audit: LambdaAudit) -> list[str]:
    """A line per group of enough values of λ, one on all the others, and one on inert trials if there are any."""
    told = [_sentence(audit, group) for group in audit.defined[:TOLD]]
    if len(audit.defined) > TOLD:
        told.append(f"λ audit: {_count(len(audit.defined) - TOLD, 'setting')} more; --json has them all")
    return [*told, *_few(audit), *_inert(audit)]


def audit_numbers(audit: LambdaAudit) -> tuple[str, str]:
    """Headline and note of the λ audit: ρ of the one group, or in how many of several groups λ does its work."""
    groups, where = _correlated(audit), audit.where.replace(" ", "\N{NO-BREAK SPACE}")
    if not groups:
        return "–", f"needs {ENOUGH} values of λ" if audit.groups else "no trials with λ"
    if len(groups) == 1:
        return correlations(groups[0]), f"ρ with precision / recall, {where}"
    good = sum(_verdict(group) == TRADES for group in groups)
    return f"{good} of {len(groups)}", f"settings where {TRADES}, {where}"


def audit_title(audit: LambdaAudit) -> str:
    """What λ does, as a figure's title."""
    groups = _correlated(audit)
    verdicts = {_verdict(group) for group in groups}
    if not groups:
        return "Precision and recall against λ"
    if len(verdicts) == 1:
        return verdicts.pop()
    good = sum(_verdict(group) == TRADES for group in groups)
    return f"{TRADES} in {good or 'none'} of {len(groups)} settings"


def correlations(group: LambdaGroup) -> str:
    """ρ with precision and with recall: ``+0.91 / −0.88``."""
    return " / ".join(
        "–" if value is None else f"{value:+.2f}".replace("-", "−")
        for value in (group.precision, group.recall)
    )


def _sentence(audit: LambdaAudit, group: LambdaGroup) -> str:
    name = f" ({group.name})" if group.name else ""
    return (
        f"λ audit at {audit.where}{name}: {len(group.lambdas)} values × {_count(max(len(group.seeds), 1), 'seed')}, "
        f"Spearman with precision {_signed(group.precision)}, with recall {_signed(group.recall)}"
    )


def _few(audit: LambdaAudit) -> list[str]:
    """What is not told, counted: on a continuous space that is every trial."""
    few = [group for group in audit.groups if not group.defined]
    if not few:
        return []
    settings = _count(len(few), "setting")
    trials = _count(sum(len(group.ids) for group in few), "trial")
    return [
        f"λ audit at {audit.where}: not defined in {settings} ({trials}) of fewer than {ENOUGH} values of λ"
    ]


def _inert(audit: LambdaAudit) -> list[str]:
    if not audit.inert:
        return []
    names = [audit.names.get(trial) or trial for trial in audit.inert]
    more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
    return [f"λ did nothing (inert) in {_count(len(names), 'trial')}: {', '.join(names[:TOLD])}{more}"]


def _correlated(audit: LambdaAudit) -> list[LambdaGroup]:
    return [group for group in audit.defined if group.precision is not None or group.recall is not None]


def _verdict(group: LambdaGroup) -> str:
    if group.precision is None or group.recall is None:
        return "Precision and recall against λ"
    up, down = group.precision >= STRONG, group.recall <= -STRONG
    if up and down:
        return TRADES
    if up:
        return "λ raises precision, but does not order recall"
    if down:
        return "λ lowers recall, but does not order precision"
    return "λ orders neither precision nor recall"


def _signed(value: float | None) -> str:
    return "not defined" if value is None else f"{value:+.2f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
