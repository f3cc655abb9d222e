"""Optuna's database of studies: laid out by one process at a time, and its faults told in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import optuna
from filelock import FileLock
from optuna.exceptions import StorageInternalError
from optuna.storages import RDBStorage
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from explorer.errors import UserError, brief, root_cause
from explorer.goals import Goal
from explorer.search.search import Study

__all__ = ["open_study", "reaching"]

_WAIT_S = 60.0
"""Longest wait for another process that writes, or that lays out the tables."""


def open_study(study: Study, goals: Sequence[Goal]) -> optuna.Study:
    """The study, new or as it was left.

    Processes that come at once would lay out each other's tables, so they wait for one another. One that is killed
    meanwhile does no harm: Optuna completes what is there.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    address = URL.create("sqlite", database=str(study.file)).render_as_string()
    template = address.replace("{", "{{").replace("}", "}}")  # which is what Optuna takes it for
    with reaching(study):
        study.file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{study.file}.lock", timeout=_WAIT_S):
            storage = RDBStorage(template, engine_kwargs={"connect_args": {"timeout": _WAIT_S}})
            return optuna.create_study(
                storage=storage,
                study_name=study.name,
                directions=["minimize" if goal.direction == "min" else "maximize" for goal in goals],
                load_if_exists=True,
            )


@contextmanager
def reaching(study: Study) -> Iterator[None]:
    """Whatever the database fails with in here is the user's to mend."""
    try:
        yield
    except (SQLAlchemyError, StorageInternalError, OSError) as error:
        raise UserError(
            f"the search's studies in '{brief(str(study.file), 100)}' fail ({root_cause(error, 50)}); make room or "
            "move that file away, and run the same command again: what is finished is not trained again"
        ) from error
