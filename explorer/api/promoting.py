"""Trials made known: registered as versions of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.api.arguments import text, text_or_none
from explorer.api.reading import Results, reading_at
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    from explorer.tracking.registry import Registered

__all__ = ["promote"]


def promote(
    found: Results,
    trial: str,
    name: str,
    alias: str | None = None,
    budget: float = 1,
    method: str | None = None,
) -> Registered:
    """Register the model of a finished trial in MLflow as a version of ``name``, with its place on the front at K.

    A trial has one version under a name: a second call sets its description, and ``alias`` if there is one, anew.

    >>> te.promote(found, best.trials[0].id, "ring-gan", alias="champion").version
    '1'
    """
    from explorer.registration import register_trial
    from explorer.results.store import ResultStore

    if not isinstance(found, Results):
        raise UserError(f"the results of a sweep must be what te.results returns, got {shown(found)}")
    if not isinstance(found.store, ResultStore):
        raise UserError(
            f"a model is registered where its run is, in an MLflow store, got {shown(found.store.address)}; import it "
            "first, with te.import_sweep"
        )
    at = reading_at(found, budget, method)
    name, alias = text(name, "a model's name"), text_or_none(alias, "an alias")
    return register_trial(found.store, found.table, found[trial], name, alias, at)
