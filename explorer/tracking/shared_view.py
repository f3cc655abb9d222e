"""Views of an experiment that MLflow's pages open by a link: each a tag of the experiment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from explorer.store.connection import Connection

__all__ = ["LONGEST", "share_view"]

LONGEST = 5000
"""Characters of a tag of an experiment; what servers of every age take."""

_TAG = "mlflow.sharedViewState."


def share_view(
    uri: str, experiment_id: str, key: str, view: Mapping[str, Any], patience: float | None = None
) -> bool:
    """Keep a view under a key, in place of an earlier one; whether the store has it."""
    from mlflow.exceptions import MlflowException

    text = json.dumps(view, separators=(",", ":"), ensure_ascii=False)
    if len(text) > LONGEST:
        return False
    store = Connection(uri) if patience is None else Connection(uri, patience)
    try:
        store.call(lambda: store.client.set_experiment_tag(experiment_id, _TAG + key, text))
    except MlflowException:  # a server that only lets us read
        return False
    return True
