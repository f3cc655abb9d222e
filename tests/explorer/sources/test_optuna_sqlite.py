"""Optuna's tables; values of others in them cost no study. What Optuna writes: test_optuna_storage.py."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sources.optuna_sqlite import is_storage, sqlite_studies
from tests.explorer.sources.studies_made import make_studies


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("optuna") / "o.db"
    make_studies(f"sqlite:///{file}")
    return file


@pytest.fixture
def file(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(good, tmp_path / "o.db"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trial_params SET distribution_json = 'x'",
        "UPDATE trial_params SET param_value = 'x'",
        "UPDATE trial_params SET param_value = 99 WHERE param_name = 'c'",
        "UPDATE trial_values SET value = 'x'",
        "UPDATE trials SET datetime_start = 'x', datetime_complete = x'ff', number = 'x'",
        "UPDATE studies SET study_name = x'ff' WHERE study_id = 1",
        "UPDATE study_system_attributes SET value_json = '{'",
        "UPDATE study_system_attributes SET value_json = '[1, null]'",
        "UPDATE trials SET state = 'ODD'",
        "DELETE FROM study_directions WHERE study_id = 2",
    ],
)
def test_odd_values_cost_no_study(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("PRAGMA ignore_check_constraints = ON")
        link.execute(statement)
    two, one = sqlite_studies(file)
    assert (len(two.table("t")), len(one.table("t"))) == (9, 2)


def test_a_storage_is_told_by_its_tables(file: Path) -> None:
    assert not is_storage({"runs", "experiments"})
    with closing(sqlite3.connect(file)) as link, link:
        tables = {name for (name,) in link.execute("SELECT name FROM sqlite_master")}
        assert is_storage(tables)
        link.execute("ALTER TABLE trial_values RENAME COLUMN value_type TO other")
    with pytest.raises(UserError, match="cannot be read"):
        sqlite_studies(file)
