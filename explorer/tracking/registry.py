"""Versions of registered models: the one thing of MLflow's registry that is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from explorer.errors import UserError, root_cause, shown, telling
from explorer.store.addresses import shown_address
from explorer.store.connection import Connection
from explorer.store.schema import MODEL_FOLDER

if TYPE_CHECKING:
    from mlflow.entities.model_registry import ModelVersion

__all__ = ["Registered", "check_names", "register"]

T = TypeVar("T")

LONGEST_NAME, LONGEST_ALIAS = 256, 255
LONGEST_DESCRIPTION = 5000


@dataclass(frozen=True)
class Registered:
    """A version of a registered model; ``made`` just now, or there before."""

    name: str
    version: str
    made: bool


def check_names(name: str, alias: str | None) -> None:
    """Refuse a name or an alias that MLflow would not take, before anything is written."""
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME or re.search(r"[/:]", name):
        raise UserError(
            f"a registered model's name is at most {LONGEST_NAME} printable characters without '/' and ':', got "
            f"{shown(name)}; use for example ring-gan"
        )
    if alias is None:
        return
    odd = len(alias) > LONGEST_ALIAS or re.fullmatch(r"[A-Za-z0-9_.-]+", alias) is None
    if odd or alias.lower() == "latest" or re.fullmatch(r"[vV]\d+", alias):
        raise UserError(
            f"an alias is letters, digits, '_', '.' or '-', and neither 'latest' nor like 'v1', got {shown(alias)}; "
            "use champion"
        )


def register(
    uri: str, run: str, name: str, alias: str | None, description: str, tags: Mapping[str, str]
) -> Registered:
    """The model of a run as a version of a registered model, which is made if it is not there.

    A run is registered once under a name: again only its description, its tags and the alias are set.
    """
    check_names(name, alias)
    store = Connection(uri)
    with telling(
        lambda error: (
            f"model '{name}' cannot be registered in {shown_address(uri)} ({root_cause(error)}); name a store "
            "with a registry, such as SQLite or an MLflow server"
        )
    ):
        source = _source(store, run)
        known = _version_of(store, run, name)
        version = known or _made(store, run, source, name, description, tags)
        number = str(version.version)
        if known is not None:
            store.call(
                lambda: store.client.update_model_version(name, number, description[:LONGEST_DESCRIPTION])
            )
            for key, value in tags.items():
                store.call(lambda k=key, v=value: store.client.set_model_version_tag(name, number, k, v))  # type: ignore[misc]
        if alias is not None:
            store.call(lambda: store.client.set_registered_model_alias(name, alias, number))
    return Registered(name, number, known is None)


def _source(store: Connection, run: str) -> str:
    """Where a run's model lies, as MLflow's own pages write it: by that they know a model that is registered."""
    place = store.run(run).artifact_uri
    listed = store.call(lambda: store.artifacts(place).list_artifacts(MODEL_FOLDER))
    if not any(file.path == f"{MODEL_FOLDER}/MLmodel" for file in listed or ()):
        raise UserError(
            f"run {run} must hold a model to be registered, and has none; set tracking.models: all, "
            "read its trial again (another evaluation.samples is enough), and register it then"
        )
    return f"{place}/{MODEL_FOLDER}"


def _version_of(store: Connection, run: str, name: str) -> ModelVersion | None:
    """The version that is of a run, the newest of several."""
    found = store.call(lambda: list(store.client.search_model_versions(f"run_id = '{run}'")))
    same = [one for one in found if one.name == name]
    return max(same, key=lambda one: int(one.version), default=None)


def _made(
    store: Connection, run: str, source: str, name: str, description: str, tags: Mapping[str, str]
) -> ModelVersion:
    """A new version; where the answer to the request was lost, the one that it made."""
    _unless_there(lambda: store.call(lambda: store.client.create_registered_model(name)))
    return store.call(
        lambda: store.client.create_model_version(
            name, source, run_id=run, tags=dict(tags), description=description[:LONGEST_DESCRIPTION]
        ),
        lambda: _version_of(store, run, name),
    )


def _unless_there(make: Callable[[], object]) -> None:
    from mlflow.exceptions import MlflowException

    try:
        make()
    except MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
