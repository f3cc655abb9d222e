"""Studies as tables, whatever their parameters and names are."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from explorer.sources.studies import Study, StudyTrial, millis, param_value

FLOAT = json.dumps({"name": "FloatDistribution", "attributes": {"low": 0, "high": 1}})
INT = json.dumps({"name": "IntDistribution", "attributes": {}})
UNIFORM = json.dumps({"name": "IntUniformDistribution", "attributes": {}})


def choices(*values: object) -> str:
    return json.dumps({"name": "CategoricalDistribution", "attributes": {"choices": values}})


@pytest.mark.parametrize(
    ("inner", "distribution", "value"),
    [
        (0.5, FLOAT, 0.5), (3.0, INT, 3), (3.0, UNIFORM, 3), (1.0, choices("a", "b"), "b"), (0, choices(None), None),
        (1, choices(1, True), True), (7, choices("a"), None), (-1, choices("a"), None), ("x", FLOAT, None),
        (float("nan"), FLOAT, None), (1.0, "nonsense", 1.0), (0, choices(["x"]), "['x']"), (0.0, choices("\x1b"), "�"),
        (1.0, '{"name": 5}', 1.0), (1.0, '{"name": null}', 1.0), (1.0, "[]", 1.0),
    ],
)  # fmt: skip
def test_values_of_parameters(inner: object, distribution: str, value: object) -> None:
    found = param_value(inner, distribution)
    assert found == value
    assert type(found) is type(value)


def test_names_of_values_are_the_studys_own_if_they_tell_them_apart() -> None:
    two = ["MINIMIZE", "MAXIMIZE"]
    assert Study("0", "s", two, ["a", "b"]).value_names() == ["a", "b"]
    for names in ((), ["a"], ["a", "a"], ["a", ""], [1, None]):
        assert Study("0", "s", two, names).value_names() == ["values_0", "values_1"]


def test_a_study_of_many_objectives_says_what_is_left_out() -> None:
    table = Study(
        "0", "s", ["MINIMIZE"] * 12, trials=[StudyTrial(0, "COMPLETE", values=dict.fromkeys(range(12), 1.0))]
    ).table("t")
    assert len(table.goals) == 8
    assert len(table.trials[0].metrics) == 12
    assert "objectives beyond the first 8" in (table.complaint or "")


def test_when_a_study_was_last_changed() -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    assert Study("0", "s", []).info(now).updated == now
    trial = StudyTrial(0, "COMPLETE", started=1000, ended=2000)
    assert Study("0", "s", [], trials=[trial]).info(now).updated == datetime.fromtimestamp(2, UTC)


def test_times() -> None:
    assert millis("1970-01-01T00:00:01+00:00") == 1000
    for odd in (None, "", "x", 7, "9999-99-99"):
        assert millis(odd) == 0
