"""The λ audit: does the knob do what theory promises, at the K shown?"""

from __future__ import annotations

import streamlit as st

from app.scene import Scene
from app.views.audit import audit_heading, few_lambdas, no_lambda
from app.views.audit_charts import ceiling_view, lambda_view, own_lambda_view, tangent_view
from app.views.empty import nothing_finished, nothing_to_show
from explorer.results.audit import LambdaAudit, audit_lambda

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """What was found, asked λ against what was achieved, models at their own λ, tangents, ceilings."""
    finished = scene.columns.finished
    if not finished.any():
        nothing_finished(scene.columns.table, scene.running)
        return
    if not (finished & scene.kept).any():
        nothing_to_show("No finished trial passes the filters. Widen them in the sidebar.")
        return
    audit = _audit(scene)
    if not audit.groups:
        no_lambda()
        ceiling_view(scene)
    elif not audit.defined:
        few_lambdas(audit)
        ceiling_view(scene)
    else:
        audit_heading(audit)
        lambda_view(scene, audit)
        _figures(scene, audit)


def _figures(scene: Scene, audit: LambdaAudit) -> None:
    """Several settings have the page's width for their squares; of one they fit beside the tangents."""
    if len(audit.defined) > 1:
        own_lambda_view(scene, audit)
        left, right = st.columns(2, gap="large")
        with left:
            tangent_view(scene, audit)
        with right:
            ceiling_view(scene)
        return
    left, right = st.columns(2, gap="large")
    with left:
        own_lambda_view(scene, audit)
    with right:
        tangent_view(scene, audit)
    ceiling_view(scene)


def _audit(scene: Scene) -> LambdaAudit:
    """The audit of what passes the filters; what is brushed elsewhere was chosen by outcome, and proves nothing."""
    columns, at, rows = scene.columns, scene.at, scene.kept
    return columns.remembered(("λ audit", at, rows.tobytes()), lambda: audit_lambda(columns, at, rows))
