"""Whether the tables of a SQLite store are those of the MLflow that is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

__all__ = ["installed_mlflow", "newest_version", "schema_fault"]

_REVISION = re.compile(r"^revision\s*=\s*[\"'](\w+)[\"']", re.MULTILINE)
_BEFORE = re.compile(r"^down_revision\s*=\s*[\"'](\w+)[\"']", re.MULTILINE)


@cache
def installed_mlflow() -> str:
    """The version of MLflow that is installed, whole or as the part that tells runs."""
    try:
        return version("mlflow")
    except PackageNotFoundError:
        return version("mlflow-skinny")


def schema_fault(said: Sequence[str], tables: Set[str]) -> str | None:
    """Why MLflow cannot use tables of the version that a store says it has; None if it can.

    An older store is left to its owner: MLflow advises a copy before the change, which cannot be taken back.
    """
    if not said:
        return "does not say which tables of MLflow it has; restore it from a copy, or move it away"
    if len(said) > 1:
        return f"must have one version of MLflow's tables, and says {len(said)}; restore it from a copy"
    (told,), versions = said, _versions()
    if told not in versions:
        return f"was made by a newer MLflow (its tables are {told[:40]}); install that, or name another store"
    if told != versions[0]:
        return "was made by an older MLflow; copy the file, then run `mlflow db upgrade sqlite:///FILE` on it"
    lacking = sorted(_expected() - tables)
    if lacking:
        return f"lacks {len(lacking)} of MLflow's tables ({lacking[0]}, …); restore it from a copy"
    return None


@cache
def _versions() -> tuple[str, ...]:
    """Versions that MLflow's tables ever had, by the migrations it brings, the newest first."""
    import mlflow.store
    from alembic.script import ScriptDirectory

    migrations = ScriptDirectory(str(Path(mlflow.store.__path__[0]) / "db_migrations"))
    return tuple(migration.revision for migration in migrations.walk_revisions())


def newest_version() -> str | None:
    """The version of the tables that the installed MLflow makes, by the text of its migrations: it is not loaded.

    None where they do not follow each other in a way that can be seen so.
    """
    spec = find_spec("mlflow")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    files = [file for place in places for file in (Path(place) / "store/db_migrations/versions").glob("*.py")]
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    own = {match[1] for text in texts for match in _REVISION.finditer(text)}
    newest = own - {match[1] for text in texts for match in _BEFORE.finditer(text)}
    return newest.pop() if len(newest) == 1 else None


def _expected() -> set[str]:
    """Tables that MLflow reads and writes."""
    import mlflow.store.db.utils  # noqa: F401  (all models together, each of which adds its tables)
    from mlflow.store.db.base_sql_model import Base

    return set(Base.metadata.tables)
