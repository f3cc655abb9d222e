"""Optuna's storage in a SQLite file, read from its tables: Optuna itself is not needed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from explorer.errors import UserError, brief, root_cause
from explorer.sources.studies import METRIC_NAMES, Study, StudyTrial, millis, param_value
from explorer.store.database import opened
from explorer.store.foreign import as_text, load_json

__all__ = ["is_storage", "sqlite_studies"]

_TABLES = {"studies", "trials", "trial_params", "trial_values", "study_directions"}


def is_storage(tables: set[str]) -> bool:
    """Whether a database with these tables is one of Optuna's."""
    return tables >= _TABLES


def sqlite_studies(file: Path) -> list[Study]:
    """All studies with their trials, in the order in which they were made. O(rows)."""
    try:
        with opened(file) as link:
            return list(_studies(link))
    except sqlite3.Error as error:
        raise UserError(
            f"Optuna storage '{brief(str(file), 150)}' cannot be read ({root_cause(error)}); name another, or upgrade "
            "it with `optuna storage upgrade`"
        ) from error


def _studies(link: sqlite3.Connection) -> Iterator[Study]:
    for number, name in link.execute("SELECT study_id, study_name FROM studies ORDER BY study_id").fetchall():
        query = "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective"
        directions = [as_text(direction) for (direction,) in link.execute(query, (number,))]
        query = "SELECT value_json FROM study_system_attributes WHERE study_id = ? AND key = ?"
        told = link.execute(query, (number, METRIC_NAMES)).fetchone()
        names = load_json(as_text(told[0])) if told else []
        study = Study(str(number), as_text(name), directions, names if isinstance(names, list) else [])
        study.trials = list(_trials(link, number).values())
        yield study


def _trials(link: sqlite3.Connection, study: int) -> dict[int, StudyTrial]:
    query = (
        "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials WHERE study_id = ? "
        "ORDER BY trial_id"
    )
    found = {
        key: StudyTrial(
            number if isinstance(number, int) else place,
            as_text(state),
            started=millis(began),
            ended=millis(ended),
        )
        for place, (key, number, state, began, ended) in enumerate(link.execute(query, (study,)).fetchall())
    }
    these = "JOIN trials USING (trial_id) WHERE trials.study_id = ?"
    query = f"SELECT trial_id, param_name, param_value, distribution_json FROM trial_params {these}"
    for key, name, inner, distribution in link.execute(query, (study,)):
        found[key].params[as_text(name)] = param_value(inner, as_text(distribution))
    query = f"SELECT trial_id, objective, value, value_type FROM trial_values {these}"
    for key, objective, value, kind in link.execute(query, (study,)):
        if kind == "FINITE" and isinstance(value, float) and isinstance(objective, int):
            found[key].values[objective] = value
    query = f"SELECT trial_id, key, value_json FROM trial_user_attributes {these}"
    for key, name, value in link.execute(query, (study,)):
        found[key].noted[as_text(name)] = load_json(as_text(value))
    return found
