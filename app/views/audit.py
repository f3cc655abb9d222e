"""The λ audit: does the knob do what theory promises?"""

from __future__ import annotations

import streamlit as st

from app.style import PLOT_CONFIG, palette
from explorer.figures import lambda_figure, own_lambda_figure, themed
from explorer.html import tag
from explorer.results.audit import LambdaAudit
from explorer.results.table import TrialTable

__all__ = ["audit_view"]


def audit_view(table: TrialTable, audit: LambdaAudit) -> None:
    """Precision and recall against λ, a panel per setting of the rest; α_λ at every λ of models trained at every λ.

    A sentence where too few values were tried.
    """
    if audit.defined:
        figure = themed(lambda_figure(table, audit), palette())
        st.plotly_chart(figure, theme=None, key="audit", config=PLOT_CONFIG)
    own = own_lambda_figure(audit)
    if own is not None:
        st.plotly_chart(themed(own, palette()), theme=None, key="own-lambda", config=PLOT_CONFIG)
    if audit.groups:
        st.html(tag("div", *(tag("p", line, class_="tx-lead") for line in audit.sentences())))
