"""The parts of the report that need no store: markup, page, names, sentences."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.html import tag, text
from explorer.html.page import Page
from explorer.report import along, short_name
from explorer.report.sentences import audit_numbers, audit_title
from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from tests.app.made_sweep import BREAKOUT, made_table, made_trials

TABLE = made_table(made_trials(points=5))


@given(st.text())
def test_text_and_attributes_are_escaped(value: str) -> None:
    built = tag("p", value, title=value)
    assert built == f'<p title="{html.escape(value)}">{html.escape(value)}</p>'
    assert html.unescape(text(value)) == value


def test_markup_is_not_escaped_twice() -> None:
    assert tag("p", tag("b", "1 < 2")) == "<p><b>1 &lt; 2</b></p>"


def test_page_holds_plotly_once_and_no_value_breaks_out() -> None:
    page = Page(BREAKOUT)
    for _ in range(3):
        page.add(page.figure(go.Figure(go.Scatter(x=[1], y=[2], hovertext=[BREAKOUT]))))
    document = page.html()
    assert document.count("plotly.js v") == 1
    assert BREAKOUT not in document
    stored = re.findall(r'<script type="application/json" id="data-figure-\d">(.*?)</script>', document)
    assert [json.loads(s)["data"][0]["hovertext"] for s in stored] == [[BREAKOUT]] * 3


def test_trials_along_the_front_hold_both_ends() -> None:
    picked = along(TABLE.trials, 5)
    recalls = [t.metrics["recall"] for t in picked]
    assert len(picked) == 5
    assert recalls == sorted(recalls)
    everything = [t.metrics["recall"] for t in TABLE]
    assert (recalls[0], recalls[-1]) == (min(everything), max(everything))
    assert len(along(TABLE.trials[:3], 5)) == 3


def test_a_short_name_says_what_differs() -> None:
    pr = replace(TABLE, trials=tuple(t for t in TABLE if t.params["objective.name"] == "pr"))
    assert short_name(pr, pr.trials[0]) == "λ = 0.05, seed = 0"
    assert short_name(replace(pr, trials=pr.trials[:1]), pr.trials[0]) == pr.trials[0].id


def group(precision: float | None, recall: float | None) -> LambdaAudit:
    lambdas = (0.1, 1.0, 10.0)
    return LambdaAudit((LambdaGroup({}, lambdas, (0,), 3, precision, recall, {}, ()),))


@pytest.mark.parametrize(
    ("precision", "recall", "title"),
    [
        (0.9, -0.9, "λ trades recall for precision"),
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


def test_the_audits_numbers() -> None:
    assert audit_numbers(group(0.91, -0.876))[0] == "+0.91 / −0.88"
    assert audit_numbers(LambdaAudit(()))[0] == "–"
    assert audit_numbers(audit_lambda(TABLE))[0].startswith("+0.9")
