"""What the λ audit found, in words: lines for a terminal, a headline, a figure's title."""

from __future__ import annotations

from explorer.results.audit import ENOUGH, INERT, LambdaAudit, LambdaGroup
from explorer.results.naming import number

__all__ = [
    "LUCK",
    "STRONG",
    "WEAK",
    "audit_numbers",
    "audit_sentences",
    "audit_title",
    "chance",
    "correlations",
    "p_words",
    "verdict",
]

STRONG, WEAK = 0.8, 0.3
"""Rank correlations from which we say that λ orders a metric, and that it tends to."""
LUCK = 0.05
"""The p-value beyond which what was found may be luck."""
TOLD = 12
"""Groups and inert trials told by name; the others are counted."""
TRADES = "λ trades recall for precision"


def audit_sentences(audit: LambdaAudit) -> list[str]:
    """Two lines per group of enough values of λ, one on all the others, and one on inert trials per group with some."""
    told = [line for group in audit.defined[:TOLD] for line in _sentences(audit, group)]
    if len(audit.defined) > TOLD:
        told.append(
            f"λ audit: {_count(len(audit.defined) - TOLD, 'setting')} more; tradeoff front --json has them all"
        )
    return [*told, *_few(audit), *_inert(audit)]


def audit_numbers(audit: LambdaAudit) -> tuple[str, str]:
    """Headline and note of the λ audit: ρ of the one group, or in how many of several groups λ does its work."""
    groups, where = _correlated(audit), audit.where.replace(" ", "\N{NO-BREAK SPACE}")
    if not groups:
        return "–", f"needs {ENOUGH} values of λ" if audit.groups else "no trials with λ"
    if len(groups) == 1:
        return correlations(groups[0]), f"ρ with precision / recall, {where}, {chance(groups[0])}"
    good = sum(verdict(group) == TRADES for group in groups)
    return f"{good} of {len(groups)}", f"settings where {TRADES}, {where}"


def audit_title(audit: LambdaAudit) -> str:
    """What λ does, as a figure's title."""
    groups = _correlated(audit)
    verdicts = {verdict(group) for group in groups}
    if not groups:
        return "Precision and recall against λ"
    if len(verdicts) == 1:
        return verdicts.pop()
    good = sum(verdict(group) == TRADES for group in groups)
    return f"{TRADES} in {good or 'none'} of {len(groups)} settings"


def verdict(group: LambdaGroup) -> str:
    """What λ does in one group: whether it orders precision and recall, tends to, or does neither.

    It orders a metric if ρ is at least ``STRONG`` on the promised side, and tends to from ``WEAK`` on, both at a
    p-value of at most ``LUCK``. A strong ρ that luck may have is not claimed.
    """
    if group.precision is None or group.recall is None:
        return "Precision and recall against λ"
    up, down = _grade(group.precision, group.chance[0]), _grade(-group.recall, group.chance[1])
    if UNSURE in (up, down):
        if min(group.precision, -group.recall) >= STRONG:
            return "λ may trade recall for precision; too few trials to tell"
        up, down = (NOT if grade == UNSURE else grade for grade in (up, down))
    if up == down:
        return {
            CLEAR: TRADES,
            TENDS: "λ tends to trade recall for precision",
            NOT: "λ orders neither precision nor recall",
            AGAINST: "λ works the wrong way round: precision falls with it, and recall rises",
        }[up]
    rises = {CLEAR: "λ raises precision", TENDS: "λ tends to raise precision"}.get(up)
    falls = {CLEAR: "lowers recall", TENDS: "tends to lower recall"}.get(down)
    if rises and falls:
        return f"{rises} and {falls}"
    if rises:
        return f"{rises}, but does not order recall"
    return f"λ {falls}, but does not order precision" if falls else "λ orders neither precision nor recall"


CLEAR, TENDS, UNSURE, NOT, AGAINST = "clear", "tends", "unsure", "not", "against"


def _grade(rho: float, p: float | None) -> str:
    """How well ρ, turned so that the promised side is positive, keeps the promise."""
    if rho <= -STRONG:
        return AGAINST
    sure = p is not None and p <= LUCK
    if rho >= STRONG:
        return CLEAR if sure else UNSURE
    return TENDS if sure and rho >= WEAK else NOT


def correlations(group: LambdaGroup) -> str:
    """ρ with precision and with recall: ``+0.91 / −0.88``."""
    return " / ".join(
        "–" if value is None else f"{value:+.2f}".replace("-", "−")
        for value in (group.precision, group.recall)
    )


def chance(group: LambdaGroup) -> str:
    """How easily luck does as well, for the weaker of the two: ``p < 0.01``."""
    known = [p for p in group.chance if p is not None]
    return p_words(max(known)) if known else "p –"


def p_words(value: float) -> str:
    """A p-value for people: ``p < 0.01``, ``p = 0.2``."""
    text = f"p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{value:.2g}"
    return "p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}0.01" if value < 0.01 else text


def _sentences(audit: LambdaAudit, group: LambdaGroup) -> list[str]:
    name = f" ({group.name})" if group.name else ""
    values = f"{len(group.lambdas)} values × {_count(max(len(group.seeds), 1), 'seed')}"
    if len(group.lambdas) * max(len(group.seeds), 1) > len(group.ids):  # a search tries no λ twice
        values = f"{len(group.lambdas)} values in {_count(len(group.ids), 'trial')}"
    rest = f"; {', '.join(group.pooled)} differ too" if group.pooled else ""
    first = (
        f"λ audit at {audit.where}{name}: {values}, Spearman with precision {_signed(group.precision)}"
        f"{_bracket(group.chance[0])}, with recall {_signed(group.recall)}{_bracket(group.chance[1])}{rest}"
    )
    return [first, _own(group, name)]


def _own(group: LambdaGroup, name: str) -> str:
    """How models fare at the λ they were trained at."""
    own = group.own
    if own is None:
        return (
            f"α_λ at the own λ{name}: not known; {_count(group.unread, 'trial')} have no curve that tells it"
            if group.unread
            else f"α_λ at the own λ{name}: not defined"
        )
    near = sum(within is True for within in own.within)
    noise = f", no worse than seeds differ at {near}" if near > own.hits else ""
    regret, lam, better = own.worst
    worst = (
        f"; largest regret {regret:.3f} at λ {number(lam)}, where λ {number(better)} does better"
        if regret
        else ""
    )
    missing = f"; of {_count(group.unread, 'trial')} not known" if group.unread else ""
    return (
        f"α_λ at the own λ{name}: best at {own.hits} of {len(own.levels)} values{noise}, "
        f"{own.gain:+.3f} over the mean model ({p_words(own.p)}){worst}{missing}"
    )


def _bracket(p: float | None) -> str:
    return "" if p is None else f" ({p_words(p)})"


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
    groups = [group for group in audit.groups if group.inert_at]
    lines = []
    for group in groups[:TOLD]:
        name = f" ({group.name})" if group.name else ""
        values = [
            f"λ {number(lam)} in {inert} of {_count(trials, 'trial')}{_how(how)}"
            for lam, (inert, trials, how) in group.inert_at.items()
        ]
        more = f" and {len(values) - TOLD} more values" if len(values) > TOLD else ""
        lines.append(f"λ did nothing (inert){name}: {', '.join(values[:TOLD])}{more}")
    if len(groups) > TOLD:
        left = sum(len(group.inert) for group in groups[TOLD:])
        lines.append(
            f"λ did nothing (inert) in {_count(left, 'trial')} of {len(groups) - TOLD} more settings"
        )
    return lines


def _how(how: str) -> str:
    """In which way, where that is known."""
    return "" if how == INERT else f" ({how})"


def _correlated(audit: LambdaAudit) -> list[LambdaGroup]:
    return [group for group in audit.defined if group.precision is not None or group.recall is not None]


def _signed(value: float | None) -> str:
    return "not defined" if value is None else f"{value:+.2f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
