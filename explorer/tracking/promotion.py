"""The one tag that people set on a trial's run: that it was promoted."""

from __future__ import annotations

from explorer.errors import root_cause, telling
from explorer.store.connection import Connection
from explorer.store.schema import PROMOTED

__all__ = ["write_promotion"]


def write_promotion(uri: str, run: str, text: str | None) -> None:
    """Set the tag of a run to a text, in the place of an earlier one; None takes it away, if it is there."""
    store = Connection(uri, make=False)
    with telling(
        lambda error: f"run {run} cannot be changed ({root_cause(error)}); look at it with `tradeoff mlflow`"
    ):
        if text is not None:
            store.call(lambda: store.client.set_tag(run, PROMOTED, text))
        elif PROMOTED in store.run(run).tags:
            store.call(lambda: store.client.delete_tag(run, PROMOTED))
