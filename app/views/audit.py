"""The λ audit: does the knob do what theory promises?"""

from __future__ import annotations

import streamlit as st

from app.style import PLOT_CONFIG, palette
from explorer.figures import lambda_figure, spread_by_lambda, themed
from explorer.html import tag
from explorer.report.sentences import audit_title
from explorer.results.audit import LambdaAudit
from explorer.results.table import TrialTable
from explorer.store.schema import At

__all__ = ["audit_view"]

ENOUGH = 2
"""Fewest values of λ worth a figure."""


def audit_view(table: TrialTable, audit: LambdaAudit, at: At) -> None:
    """Precision and recall against λ over seeds; nothing where fewer than two values of λ were tried."""
    if len(spread_by_lambda(table, "precision", at)) < ENOUGH:
        return
    figure = lambda_figure(table, at, audit_title(audit))
    st.plotly_chart(themed(figure, palette()), theme=None, key="audit", config=PLOT_CONFIG)
    st.html(tag("div", *(tag("p", sentence, class_="tx-lead") for sentence in audit.sentences())))
