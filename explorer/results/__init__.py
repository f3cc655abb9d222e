"""Trials as read back from the tracking store, and the λ audit over them."""

from explorer.results.audit import LambdaAudit, LambdaGroup, audit_lambda
from explorer.results.catalogue import Catalogue
from explorer.results.store import ResultStore, SweepInfo
from explorer.results.table import Scalar, Status, Trial, TrialTable

__all__ = [
    "Catalogue",
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
