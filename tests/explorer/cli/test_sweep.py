"""``tradeoff sweep`` prints what it would do, and what became of it, in words that fit."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.cli.sweep import _print_outcome, _print_plan
from explorer.errors import UserError
from explorer.launch.earlier import Earlier
from explorer.launch.plan import Plan, make_plan
from explorer.launch.run import Outcome
from explorer.launch.slots import Slots
from explorer.sweep import load_sweep


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path / "home"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(
        command_line, ["sweep", *arguments], catch_exceptions=False, env={"COLUMNS": "300"}
    )


def test_a_dry_run_prints_the_plan_and_makes_nothing(home: Path) -> None:
    plan = json.loads(run("demo", "--dry-run", "--json").stdout)
    assert (plan["sweep"], plan["trials"], plan["done"], plan["read"]) == ("demo", 28, 0, 0)
    assert sorted(trial for pack in plan["packs"] for trial in pack) == sorted(
        {t for p in plan["packs"] for t in p}
    )
    assert plan["iterations"] == 28 * 2400
    words = run("demo", "--dry-run", "--trials", "6", "--seeds", "3", "--set", "resources.gpus=0")
    assert "sweep demo: 6 trials" in words.stderr
    assert "14,400 iterations in all" in words.stderr
    assert words.stdout == ""
    assert not (home / "mlflow.db").exists()


def test_a_bad_sweep_is_refused_before_anything_starts(home: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'pr'"):
        run("demo", "--set", "space={objective.name: [prr]}")
    assert not home.exists() or list(home.iterdir()) == []


# Made while tests are collected: not in the home of whoever runs them, where the sweep may be trained.
with pytest.MonkeyPatch.context() as elsewhere, tempfile.TemporaryDirectory() as nothing:
    elsewhere.setenv("TRADEOFF_HOME", nothing)
    PLAN = make_plan(load_sweep("demo"), Earlier(), Slots(2, gpu=False))


def printed(plan: Plan) -> str:
    console = Console(file=StringIO(), width=300)
    _print_plan(console, plan)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "sweep demo: 28 trials, 2 packs of 14, 67,200 iterations in all, about"),
        ({"done": 3, "diverged": 2}, "28 trials, 3 already done, 2 diverged before"),
        ({"resumed": 4, "read": 5}, "4 to go on from a checkpoint, 5 to be read, without training"),
        ({"packs": PLAN.packs[:1]}, "1 pack of 14"),
        ({"seconds": 3.6e5}, "about 4 days on this"),
        ({"seconds": 3.5e5}, "about 97.2 h on this"),
        ({"trials": 1}, "sweep demo: 1 trial, 2 packs"),
        ({"renamed": 7}, "7 trials of an older layout found again"),
        ({"lost": 8}, "8 trials of an older layout left in the table as before"),
        ({"outside": 9}, "9 earlier trials of this sweep outside the present plan, kept in its table"),
    ],
)
def test_a_plan_says_what_there_is_to_say(changes: dict[str, Any], words: str) -> None:
    assert words in printed(replace(PLAN, **changes))


def test_a_plan_without_work_says_nothing_of_it() -> None:
    idle = printed(replace(PLAN, done=28, packs=(), iterations=0, seconds=None, remarks=()))
    assert idle == "sweep demo: 28 trials, 28 already done\n"


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome("x", 4, 4, 0, 0, 8, False), "sweep x is complete: 4 trials finished; next: tradeoff front x"),
        (Outcome("x", 4, 3, 1, 0, 8, False), "3 trials finished, 1 failed; next"),
        (Outcome("x", 4, 1, 1, 0, 8, True), "1 of 4 trials finished; running the sweep again continues"),
    ],
)  # fmt: skip
def test_an_outcome_says_what_to_do_next(outcome: Outcome, words: str) -> None:
    console = Console(file=StringIO(), width=300)
    _print_outcome(console, outcome)
    assert words in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Outcome("x", 4, 4, 0, 0, 8, False), 0),
        (Outcome("x", 4, 3, 1, 0, 8, False), 0),
        (Outcome("x", 4, 0, 4, 0, 8, False), 1),
        (Outcome("x", 4, 1, 0, 0, 8, True), 130),
    ],
)
def test_the_exit_code_tells_how_it_ended(
    outcome: Outcome, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.launch.run.run_sweep", lambda *_: outcome)
    result = run("demo", "--json")
    assert result.exit_code == code
    assert json.loads(result.stdout)["unfinished"] == outcome.unfinished
