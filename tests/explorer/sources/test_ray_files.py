"""Files that may be torn anywhere: what is whole is read, in a time that does not grow with what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.sources.ray_files import LARGEST, TAIL, last_report, read_json, reports, tail
from tests.explorer.sources.ray_made import add_trial


@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_a_torn_end_is_told_and_the_rest_is_read(tmp_path: Path, cut: int) -> None:
    trial, faults = add_trial(tmp_path, 1, {"a": 1}, [{"loss": 1.0}, {"loss": 0.5}]), list[str]()
    file = trial / "result.json"
    file.write_bytes(file.read_bytes()[:-cut])
    found = last_report(trial, faults)
    torn = cut > 1  # the end of a line is none of its content
    assert found["loss"] == (1.0 if torn else 0.5)
    assert faults == ([f"the end of result.json of {trial.name}, which is torn"] if torn else [])
    assert [one["loss"] for one in reports(trial)] == ([1.0] if torn else [1.0, 0.5])


def test_a_long_last_line_is_found_without_reading_all(tmp_path: Path) -> None:
    trial = add_trial(tmp_path, 1, {"text": "x" * (3 * TAIL)}, [{"loss": 1.0}, {"loss": 0.5}])
    assert last_report(trial, [])["loss"] == 0.5
    assert len(tail(trial / "result.json", 10)) == 10


def test_the_table_stands_in_for_reports(tmp_path: Path) -> None:
    trial, faults = add_trial(tmp_path, 1, {}, [{"loss": 1.0}, {"loss": 0.5}]), list[str]()
    (trial / "result.json").unlink()
    assert last_report(trial, faults) == {
        "training_iteration": 2,
        "timestamp": 1000,
        "loss": 0.5,
        "deep/fid": 4.5,
    }
    assert [one["loss"] for one in reports(trial)] == [1, 0.5]
    with (trial / "progress.csv").open("a") as file:
        file.write("3,10")
    assert last_report(trial, faults)["loss"] == 0.5
    assert faults == [f"the end of progress.csv of {trial.name}, which is torn"]
    (trial / "progress.csv").write_text("a,b\n")
    assert last_report(trial, []) == {}


def test_what_is_no_report_is_none(tmp_path: Path) -> None:
    trial, faults = add_trial(tmp_path, 1, {}, []), list[str]()
    (trial / "result.json").write_bytes(b"\xff\xfe\x00" * 500)
    (trial / "progress.csv").unlink()
    assert last_report(trial, faults) == {}
    assert list(reports(trial)) == []
    assert len(faults) == 1
    (trial / "result.json").unlink()
    assert last_report(trial, []) == {}


def test_what_is_too_large_or_no_json_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "params.json"
    file.write_text(json.dumps({"a": 1}))
    assert read_json(file) == {"a": 1}
    with file.open("r+b") as opened:
        opened.truncate(LARGEST + 1)  # no byte of it is stored
    assert read_json(file) is None
    file.write_text("[" * 100_000)
    assert read_json(file) is None
    assert read_json(tmp_path / "none") is None
