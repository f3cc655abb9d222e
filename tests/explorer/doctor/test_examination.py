"""All checks together: places that sweeps name are looked at, and one check's failure ends no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.doctor import examination
from explorer.doctor.examination import examine
from explorer.doctor.finding import Finding, Subject
from explorer.errors import UserError
from explorer.tracking import Tracker
from tests.explorer.doctor.broken import A, found, left_running, subject
from tests.stores import empty_store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


def test_the_storage_that_a_sweep_names_is_looked_at(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    storage = tmp_path / "elsewhere"
    tracker.open_sweep("s", {}, "", f"resources: {{storage: '{storage}'}}\n", "{}")
    tracker.close_sweep(interrupted=False)
    (storage / A).mkdir(parents=True)
    (storage / A / "8.pt").write_bytes(b"x")
    (note,) = found(examine(subject(tmp_path)), "checkpoints")[1:]
    assert "unknown to this store" in note.sentence
    assert str(storage) in note.sentence


@pytest.mark.parametrize("document", ["[", "resources: 3", "a: &a [*a]", "resources: {storage: [1]}"])
def test_a_sweep_file_of_others_is_no_hindrance(tmp_path: Path, document: str) -> None:
    tracker = Tracker(empty_store(tmp_path), "tests")
    tracker.open_sweep("s", {}, "", document, "{}")
    tracker.close_sweep(interrupted=False)
    assert not [one for one in examine(subject(tmp_path)) if one.state == "problem"]


def test_a_check_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check_machine(asked: Subject) -> Finding:
        raise ZeroDivisionError("nothing here")

    monkeypatch.setattr(examination, "check_machine", check_machine)
    empty_store(tmp_path)
    findings = list(examine(subject(tmp_path)))
    (one,) = found(findings, "machine")
    assert (one.state, one.sentence) == ("problem", "could not be looked at: ZeroDivisionError: nothing here")
    assert findings[-1].about == "spool"


def test_a_store_that_is_broken_ends_what_rests_on_it(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_text("something else")
    findings = list(examine(subject(tmp_path)))
    assert [one.about for one in findings if one.state == "problem"] == ["MLflow"]
    assert [one.about for one in findings[-2:]] == ["spool", "data folder"], "which rest on none"


def test_a_sweep_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    left_running(tmp_path, "demo")
    with pytest.raises(UserError, match=r"no sweep 'deno' in this store.*demo"):
        list(examine(subject(tmp_path, sweep="deno")))
