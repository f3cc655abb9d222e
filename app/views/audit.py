"""What the λ audit found, as a heading, a table of settings and sentences."""

from __future__ import annotations

import streamlit as st

from app import saving
from explorer.html import Markup, tag
from explorer.results.audit import ENOUGH, LambdaAudit, LambdaGroup
from explorer.results.naming import cut
from explorer.results.sentences import audit_title, correlations, p_words, verdict
from explorer.words import counted

__all__ = ["audit_heading", "few_lambdas", "no_lambda"]

LISTED = 12
"""Settings that the table has; the others are counted."""
HEADINGS = (
    "Setting", "λ × seeds", "ρ precision", "ρ recall", "Best at own λ", "Gain at own λ", "Inert", "What λ does",
)  # fmt: skip


def audit_heading(audit: LambdaAudit) -> None:
    """The verdict in one line, how it is meant, and a row of numbers per setting; all of it in words below a fold."""
    lead = (
        f"A large λ asks for precision, a small one for recall: theory promises ρ near +1 and −1. At {audit.where}; "
        "models are compared at their own λ as they are."
    )
    content = tag(
        "div",
        tag("h2", audit_title(audit), class_="tx-title"),
        tag("p", lead, class_="tx-lead"),
        _table(audit),
    )
    saving.keep(content)
    st.html(content)
    with st.expander("In words"):
        st.html(tag("div", *(tag("p", f"{line}.", class_="tx-lead") for line in audit.sentences())))


def no_lambda() -> None:
    """A sweep without λ: what to try, since there is nothing to audit."""
    st.html(
        tag(
            "div",
            tag("h2", "No λ to audit", class_="tx-title"),
            tag("p", "None of these trials was trained at a λ. The PR objective has one:"),
            tag("pre", "objective: {name: pr}\nspace:\n  objective.lam: [0.1, 0.3, 1, 3, 10]"),
            tag(
                "p",
                "With three values or more this page says whether λ does what it promises.",
                class_="tx-lead",
            ),
            class_="tx-empty",
        )
    )


def few_lambdas(audit: LambdaAudit) -> None:
    """Settings of which none has enough values of λ: what is there, and what is missing."""
    most = max(len(group.lambdas) for group in audit.groups)
    trials = sum(len(group.ids) for group in audit.groups)
    told = (
        f"{counted(trials, 'finished trial')} in {counted(len(audit.groups), 'setting')} have a λ, but no setting has "
        f"more than {counted(most, 'value')} of it. An order needs {ENOUGH}."
    )
    st.html(
        tag(
            "div",
            tag("h2", "Too few values of λ to audit", class_="tx-title"),
            tag("p", told),
            tag("p", "Filters may hide some; else add values to the sweep's space.", class_="tx-lead"),
            class_="tx-empty",
        )
    )


def _table(audit: LambdaAudit) -> Markup:
    rows = [_row(group) for group in audit.defined[:LISTED]]
    head = tag("tr", *(tag("th", word) for word in HEADINGS))
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_="tx-table")
    hidden = len(audit.defined) - LISTED
    more = [tag("p", f"and {counted(hidden, 'setting')} more; filters choose others.", class_="tx-hint")]
    return tag("div", table, *(more if hidden > 0 else []), style="overflow-x: auto; margin-top: 0.75rem")


def _row(group: LambdaGroup) -> Markup:
    own = group.own
    up, down = (word.strip() for word in correlations(group).split("/"))
    cells = (
        cut(group.name, 80) or "all",
        f"{len(group.lambdas)} × {max(len(group.seeds), 1)}",
        _with_p(up, group.chance[0]),
        _with_p(down, group.chance[1]),
        "–" if own is None else f"{own.hits} of {len(own.levels)}",
        "–" if own is None else _with_p(f"{own.gain:+.3f}".replace("-", "−"), own.p),
        f"{len(group.inert)} of {len(group.ids)}" if group.inert else "none",
        verdict(group).removeprefix("λ "),
    )
    return tag("tr", *(tag("td", cell) for cell in cells))


def _with_p(word: str, p: float | None) -> str:
    return word if p is None else f"{word} ({p_words(p)})"
