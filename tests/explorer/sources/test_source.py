"""What all sources share: objectives that are chosen or guessed, and files that are read again when they changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.results.catalogue import built_in
from explorer.results.table import Trial, TrialTable
from explorer.sources.source import FileWatch, guessed_goals, redirected
from explorer.store.schema import PLAIN

TRIAL = Trial("a", "a", "finished", {"x": 1}, {PLAIN: {"loss": 1.0}})


def test_other_objectives_leave_the_trials_as_they_are() -> None:
    table = TrialTable("t", (Goal("loss", "min"),), (TRIAL,))
    other = redirected(table, [Goal("x", "max"), Goal("loss", "max")])
    assert other.goals == (Goal("x", "max"), Goal("loss", "max"))
    assert other.trials is table.trials
    with pytest.raises(UserError, match="named once"):
        redirected(table, [Goal("x", "max"), Goal("x", "min")])
    with pytest.raises(UserError, match="at least one"):
        redirected(table, [])
    with pytest.raises(UserError, match="at most"):
        redirected(table, [Goal(str(i), "max") for i in range(99)])


@pytest.mark.parametrize(
    ("metrics", "goals"),
    [
        (["zeta", "recall", "fid", "precision"], {"precision": "max", "recall": "max", "fid": "min"}),
        (["density", "coverage", "other"], {"density": "max", "coverage": "max"}),
        (["val_loss", "accuracy"], {"val_loss": "min", "accuracy": "max"}),
        (["a", "b", "c"], {"a": "max", "b": "max"}),
        (["only"], {"only": "max"}),
        (["lr", "val_acc", "steps", "train_loss"], {"val_acc": "max", "train_loss": "min"}),
        (["fid", "speed"], {"fid": "min", "speed": "max"}),
        ([], {"precision": "max", "recall": "max", "fid": "min"}),
    ],
)
def test_objectives_are_guessed_from_names(metrics: list[str], goals: dict[str, str]) -> None:
    found = guessed_goals(metrics, built_in())
    assert {goal.metric: goal.direction for goal in found} == goals


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file, read = tmp_path / "x", []

    def table() -> TrialTable:
        read.append(1)
        return TrialTable(file.read_text(), (Goal("loss", "min"),), (TRIAL,))

    def put(text: str, moment: int) -> None:
        file.write_text(text)
        os.utime(file, (moment, moment))

    put("one", 1000)
    watch = FileWatch(file, table)
    first = watch.look()
    assert watch.look() is first
    assert len(read) == 1
    put("two", 2000)
    assert watch.look().sweep == "two"
    assert watch.look().trials[0] is first.trials[0]
    file.write_text("two")  # just now: it may change again under the same time
    before = len(read)
    same = watch.look()
    assert watch.look() is same
    assert len(read) == before + 2
