"""Requirements that are met, and versions that are not those we are tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.doctor import versions
from explorer.doctor.finding import Subject
from explorer.doctor.versions import check_versions

HERE = Subject("sqlite:///x")


def test_what_the_tests_run_with_is_what_we_ask_for() -> None:
    assert not [finding for finding in check_versions(HERE) if finding.state == "problem"]


def test_another_version_than_the_tested_one_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "constraints.txt").write_text("# all\nnumpy==0.0.1\nrich==99.0+local\n")
    monkeypatch.setattr(versions, "_TESTED", tmp_path / "constraints.txt")
    (note,) = check_versions(HERE)
    assert note.state == "note"
    assert "2 packages not of the tested version: numpy " in note.sentence
    assert "(tested with 0.0.1)" in note.sentence


def test_a_requirement_that_is_not_met_is_a_problem_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["numpy>=999", "no-such-package>=1", "rich>=1", "pytest>=9999; extra == 'test'"]
    monkeypatch.setattr(versions, "requires", lambda name: asked)
    problems = [finding for finding in check_versions(HERE) if finding.state == "problem"]
    assert [p.remedy for p in problems] == [
        "run `pip install 'numpy>=999'`", "run `pip install 'no-such-package>=1'`",
    ]  # fmt: skip
    assert problems[1].sentence == "no-such-package must be >=1, got none"


def test_a_copy_that_was_never_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "DISTRIBUTION", "no-such-distribution")
    (problem,) = check_versions(HERE)
    assert problem.state == "problem"
