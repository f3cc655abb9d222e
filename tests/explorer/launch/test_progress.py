"""Progress counts iterations over all trials once, tells goals, and says what failed."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from explorer.goals import parse_goals
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.progress import Progress
from explorer.store.stop import Stop
from tests.explorer.launch.small import configs, made_up, small_sweep

GOALS = parse_goals({"fid": "min"})


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return Pack(tuple(PlannedTrial(i, c, 2, 8) for i, c in configs(small_sweep(tmp_path)).items()))


def shown(terminal: bool = False) -> tuple[Console, StringIO]:
    file = StringIO()
    return Console(file=file, force_terminal=terminal, width=200), file


def test_iterations_count_for_every_trial_of_a_pack_and_none_twice(pack: Pack) -> None:
    with Progress(shown()[0], 2, 12, GOALS) as progress:
        progress.started("p", pack)
        assert progress.iterations == 0
        progress.advanced("p", 4)
        assert progress.iterations == 4
        progress.advanced("p", 2)  # a pack that died goes on from an older checkpoint
        progress.advanced("p", 4)
        assert progress.iterations == 4
        progress.advanced("p", 11)
        assert progress.iterations == 11


def test_a_trial_that_diverged_and_a_pack_that_died_are_told(pack: Pack) -> None:
    console, file = shown()
    first, _ = (t.id for t in pack.trials)
    with Progress(console, 2, 12, GOALS) as progress:
        progress.started("p", pack)
        progress.evaluated(first, made_up(4, False, diverged="diverged: not finite"))
        progress.failed([t.id for t in pack.trials], "MemoryError: too large")
    assert f"trial {first} failed: diverged: not finite" in file.getvalue()
    assert "1 trial failed: MemoryError: too large" in file.getvalue(), (
        "the diverged one is not counted again"
    )


def test_a_line_now_and_then_where_there_is_no_terminal(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    console, file = shown()
    with Progress(console, 2, 12, GOALS) as progress:
        progress.started("p", pack)
        assert file.getvalue() == "", "not at once"
        monkeypatch.setattr("explorer.launch.progress._LINE_EVERY", -1.0)
        progress.advanced("p", 6, memory=0.25)
        progress.evaluated(
            pack.trials[0].id, made_up(5, final=True), Stop(5, "x", "halved: not among the best")
        )
    first, last = file.getvalue().splitlines()
    assert first.startswith(" 50% after")
    assert "0/2 trials ended, 2 running in 1 pack, GPU memory 25%" in first
    assert "1/2 trials ended, 1 running in 1 pack, 1 stopped early (halved), 1 on the front" in last


def test_live_in_a_terminal(pack: Pack) -> None:
    console, file = shown(terminal=True)
    with Progress(console, 2, 12, GOALS) as progress:
        progress.started("p", pack)
        progress.advanced("p", 12)
        progress.evaluated(pack.trials[0].id, made_up(8, final=True))
        progress.say("something happened")
    heard = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", file.getvalue())
    assert "100%" in heard
    assert "1/2 trials ended, 1 running in 1 pack" in heard
    assert "last: fid 9" in heard
    assert "something happened" in heard


def test_json_lines_can_be_read_by_programs(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    console, file = shown()
    monkeypatch.setattr("explorer.launch.progress._LINE_EVERY", -1.0)
    with Progress(console, 2, 12, GOALS, "json") as progress:
        progress.started("p", pack)
        progress.evaluated(pack.trials[0].id, made_up(8, final=True))
        progress.evaluated(pack.trials[1].id, made_up(4, False, diverged="it [bold]broke[/]"))
        progress.say("a note")
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert {line["event"] for line in lines} == {"progress", "failed", "note"}
    failed = next(line for line in lines if line["event"] == "failed")
    assert (failed["text"], failed["trial"]) == ("it [bold]broke[/]", pack.trials[1].id)
    end = lines[-1]
    assert (end["event"], end["finished"], end["failed"], end["front"], end["running"]) == (
        "progress",
        1,
        1,
        1,
        0,
    )


def test_quiet_says_only_what_went_wrong(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    console, file = shown()
    monkeypatch.setattr("explorer.launch.progress._LINE_EVERY", -1.0)
    with Progress(console, 2, 12, GOALS, "quiet") as progress:
        progress.started("p", pack)
        progress.advanced("p", 12)
        progress.evaluated(pack.trials[0].id, made_up(8, final=True))
        assert file.getvalue() == ""
        progress.failed([pack.trials[1].id], "it broke")
    assert file.getvalue() == "1 trial failed: it broke\n"


def test_a_sweep_that_is_only_read_shows_no_division_by_zero(pack: Pack) -> None:
    with Progress(shown()[0], 2, 0, GOALS) as progress:
        progress.started("p", pack)
        progress.advanced("p", 0)
        assert progress.iterations == 0


def test_of_many_trials_with_one_reason_the_first_are_named(pack: Pack) -> None:
    console, file = shown()
    with Progress(console, 9, 12, GOALS) as progress:
        progress.started("p", pack)
        for index in range(9):
            progress.evaluated(f"t{index}", made_up(4, False, diverged="it [bold]broke[/]"))
        progress.say("checkpoint [red]4.pt[/] was set aside")
    heard = file.getvalue()
    assert heard.count("failed: it [bold]broke[/]") == 4, "three by name, and the rest"
    assert "trial t2 failed" in heard
    assert "6 trials more failed: it [bold]broke[/]" in heard
    assert "note: checkpoint [red]4.pt[/] was set aside" in heard
