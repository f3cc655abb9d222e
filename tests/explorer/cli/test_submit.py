"""``tradeoff submit``: what is refused before anything is sent, and what is said of a job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.launch import jobs
from explorer.launch.jobs import Job

ADDRESS = "http://head:8265"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been sent to a cluster, which tests/explorer/launch/test_jobs.py has for real."""
    calls: list[Any] = []

    def submit_sweep(sweep: Any, address: str, name: str, variables: dict[str, str]) -> Job:
        calls.append((sweep.name, len(sweep.seeds), name, variables))
        return Job(name, address)

    monkeypatch.setattr(jobs, "check_job_server", lambda address: address)
    monkeypatch.setattr(jobs, "submit_sweep", submit_sweep)
    return calls


def run(*words: str) -> Any:
    return CliRunner().invoke(command_line, ["submit", *words, "--address", ADDRESS], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "neither a file nor a preset"),
        (["demo", "--set", "training.iterations=-1"], "training.iterations must be"),
        (["demo", "--env", "NOT SET"], "--env takes NAME or NAME=VALUE"),
    ],
)
def test_what_cannot_run_is_refused_here(words: list[str], said: str, sent: list[Any]) -> None:
    with pytest.raises(UserError, match=said):
        run(*words)
    assert sent == []


def test_a_job_that_is_followed_ends_the_command_as_itself(
    sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def follow(job: Job, write: Any) -> int:
        write("100%\n")
        return 3

    monkeypatch.setattr(jobs, "follow_job", follow)
    done = run("demo", "--seeds", "2", "--name", "mine", "--env", "A=1")
    assert (done.exit_code, done.stdout) == (3, "100%\n")
    assert sent == [("demo", 2, "mine", {"A": "1"})]
    assert "note: this sweep names no tracking store" in done.stderr
    assert "sweep demo is job mine of http://head:8265" in done.stderr
    done = run("demo", "--name", "mine", "--env", "MLFLOW_TRACKING_URI=http://runs", "--json")
    assert json.loads(done.stdout) == {"name": "mine", "address": ADDRESS, "sweep": "demo", "exit_code": 3}
    assert "100%" in done.stderr
    assert "note" not in done.stderr


def test_ctrl_c_leaves_the_job_alone_and_says_how_to_go_on(
    sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def follow(job: Job, write: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "follow_job", follow)
    done = run("demo", "--name", "mine")
    assert done.exit_code == 130
    assert (
        "job mine goes on without us: `ray job logs --follow mine --address http://head:8265`" in done.stderr
    )
    assert "`ray job stop mine --address http://head:8265`" in done.stderr


def test_names_of_jobs_are_the_sweeps_and_do_not_repeat(sent: list[Any], tmp_path: Path) -> None:
    for _ in range(2):
        done = run("demo", "--no-follow")
        assert done.exit_code == 0
        assert "follows it" in done.stderr
    first, second = (name for _, _, name, _ in sent)
    assert first.startswith("demo-")
    assert first != second
