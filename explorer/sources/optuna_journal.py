"""Optuna's journal, a file of one operation a line, played back: Optuna itself is not needed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from explorer.errors import UserError, brief, root_cause
from explorer.sources.studies import METRIC_NAMES, Study, StudyTrial, millis, param_value
from explorer.store.foreign import as_text, decoded, load_json

__all__ = ["LARGEST", "is_journal", "journal_studies"]

LARGEST = 2 * 10**9
"""Bytes of a journal."""

_STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")
_OVER = ("COMPLETE", "PRUNED", "FAIL")
_CREATE_STUDY, _DELETE_STUDY, _STUDY_USER, _STUDY_SYSTEM, _CREATE_TRIAL = range(5)
_PARAM, _STATE, _INTERMEDIATE, _TRIAL_USER = range(5, 9)


def is_journal(file: Path) -> bool:
    """Whether a file begins with an operation of Optuna's."""
    try:
        with file.open("rb") as lines:
            first = load_json(decoded(lines.readline(2**16)))
    except OSError:
        return False
    return isinstance(first, dict) and isinstance(first.get("op_code"), int) and "worker_id" in first


def journal_studies(file: Path) -> list[Study]:
    """All studies with their trials, in the order in which they were made. O(lines).

    A line that cannot be read is passed over: the last one may be half written.
    """
    journal = _Journal()
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise UserError(
                f"an Optuna journal must have at most {LARGEST:,} bytes, got {size:,} in '{brief(str(file), 150)}'"
            )
        with file.open("rb") as lines:
            for line in lines:
                told = load_json(decoded(line))
                if isinstance(told, dict):
                    journal.apply(told)
    except OSError as error:
        raise UserError(
            f"Optuna journal '{brief(str(file), 150)}' cannot be read ({root_cause(error)}); name another"
        ) from error
    return list(journal.studies.values())


class _Journal:
    """What the operations so far have made."""

    def __init__(self) -> None:
        self.studies: dict[int, Study] = {}
        self._made = 0
        self._trials: list[StudyTrial] = []

    def apply(self, told: dict[str, Any]) -> None:
        """One operation; one that others made up, or that came too late, changes nothing."""
        code = told.get("op_code")
        if code == _CREATE_STUDY:
            self._create_study(told)
        elif code == _DELETE_STUDY:
            self.studies.pop(_number(told.get("study_id")), None)
        elif code == _STUDY_SYSTEM:
            names = _dictionary(told.get("system_attr")).get(METRIC_NAMES)
            study = self.studies.get(_number(told.get("study_id")))
            if study is not None and isinstance(names, list):
                study.names = names
        elif code == _CREATE_TRIAL:
            self._create_trial(told)
        else:
            self._change(code, told)

    def _create_study(self, told: dict[str, Any]) -> None:
        name = as_text(told.get("study_name"))
        if name in {study.name for study in self.studies.values()}:
            return
        directions = told.get("directions")
        words = [
            "MAXIMIZE" if d == 2 else "MINIMIZE"
            for d in (directions if isinstance(directions, list) else [1])
        ]
        self.studies[self._made] = Study(str(self._made), name, words)
        self._made += 1

    def _create_trial(self, told: dict[str, Any]) -> None:
        study = self.studies.get(_number(told.get("study_id")))
        if study is None:
            return
        trial = StudyTrial(
            len(study.trials), _state(told.get("state", 0)), started=millis(told.get("datetime_start"))
        )
        trial.ended = millis(told.get("datetime_complete"))
        distributions = _dictionary(told.get("distributions"))
        for name, inner in _dictionary(told.get("params")).items():
            trial.params[name] = param_value(inner, as_text(distributions.get(name)))
        several = told.get("values")
        trial.values = _values(several if several is not None else [told.get("value")])
        trial.noted = dict(_dictionary(told.get("user_attrs")))
        study.trials.append(trial)
        self._trials.append(trial)

    def _change(self, code: object, told: dict[str, Any]) -> None:
        number = _number(told.get("trial_id"))
        if not 0 <= number < len(self._trials) or self._trials[number].state in _OVER:
            return
        trial = self._trials[number]
        if code == _PARAM:
            inner, distribution = told.get("param_value_internal"), as_text(told.get("distribution"))
            trial.params[as_text(told.get("param_name"))] = param_value(inner, distribution)
        elif code == _STATE:
            trial.state = _state(told.get("state"))
            trial.values = _values(told.get("values")) or trial.values
            trial.started = millis(told.get("datetime_start")) or trial.started
            trial.ended = millis(told.get("datetime_complete")) or trial.ended
        elif code == _TRIAL_USER:
            trial.noted |= _dictionary(told.get("user_attr"))


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _dictionary(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _state(value: object) -> str:
    return _STATES[value] if isinstance(value, int) and 0 <= value < len(_STATES) else "RUNNING"


def _values(raw: object) -> dict[int, float]:
    found = enumerate(raw if isinstance(raw, list) else [])
    return {
        i: float(v)
        for i, v in found
        if isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v)
    }
