"""A journal played back; lines of others change nothing. What Optuna writes: test_optuna_storage.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sources import optuna_journal
from explorer.sources.optuna_journal import is_journal, journal_studies

LINES = [
    {"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1, 2]},
    {"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [1]},
    {"op_code": 4, "worker_id": "w", "study_id": 0, "datetime_start": None},
    {"op_code": 6, "worker_id": "w", "trial_id": 0, "state": 1, "values": [1.0, 2]},
]
ODD = [
    "", "[]", "null", "3", "{", '{"op_code": "x"}', '{"op_code": 4, "study_id": 7}',
    '{"op_code": 6, "trial_id": -1, "state": 0}',
    '{"op_code": 6, "trial_id": 0, "state": 3, "values": [9, 9]}',
    '{"op_code": 5, "trial_id": 0, "param_name": "late"}',
    '{"op_code": 3, "study_id": 0, "system_attr": 7}', '{"op_code": 8, "trial_id": 0, "user_attr": []}',
    '{"op_code": 1}',
    '{"op_code": 0, "study_name": {"a": 1}, "directions": "x"}',
]  # fmt: skip


def test_lines_of_others_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "j.log"
    file.write_text("\n".join([*map(json.dumps, LINES), *ODD, '{"op_code": 4, "stu']))
    assert is_journal(file)
    study, other = journal_studies(file)
    assert (study.name, list(study.directions), study.value_names()) == (
        "s",
        ["MINIMIZE", "MAXIMIZE"],
        ["values_0", "values_1"],
    )
    (trial,) = study.trials
    assert (trial.state, trial.values, trial.params) == ("COMPLETE", {0: 1.0, 1: 2.0}, {})
    assert other.trials == []


def test_what_is_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x"
    for content in (b"", b"\xff\xfe", b"[1]", b'{"a": 1}'):
        file.write_bytes(content)
        assert not is_journal(file)
    assert not is_journal(tmp_path / "none")
    with pytest.raises(UserError, match="cannot be read"):
        journal_studies(tmp_path / "none")
    monkeypatch.setattr(optuna_journal, "LARGEST", 3)
    with pytest.raises(UserError, match="at most 3 bytes"):
        journal_studies(file)
