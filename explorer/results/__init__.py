"""Trials as read back from the tracking store, and the λ audit over them."""

from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from explorer.results.store import ResultStore, SweepInfo
from explorer.results.table import BASE_METRICS, Scalar, Status, Trial, TrialTable

__all__ = [
    "BASE_METRICS",
    "LambdaAudit",
    "LambdaGroup",
    "ResultStore",
    "Scalar",
    "Status",
    "SweepInfo",
    "Trial",
    "TrialTable",
    "audit_lambda",
]
