"""Progress counts iterations over all trials once, tells goals, and says what failed."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.progress import Progress
from tests.explorer.launch.small import configs, made_up, small_sweep


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return Pack(tuple(PlannedTrial(i, c, 2, 8) for i, c in configs(small_sweep(tmp_path)).items()))


def shown(terminal: bool = False) -> tuple[Console, StringIO]:
    file = StringIO()
    return Console(file=file, force_terminal=terminal, width=200), file


def test_iterations_count_for_every_trial_of_a_pack_and_none_twice(pack: Pack) -> None:
    with Progress(shown()[0], 2, 12, ["fid"]) as progress:
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
    with Progress(console, 2, 12, ["fid"]) as progress:
        progress.started("p", pack)
        progress.evaluated(first, made_up(4, False, diverged="diverged: not finite"))
        progress.failed([t.id for t in pack.trials], "MemoryError: too large")
    assert f"trial {first} failed: diverged: not finite" in file.getvalue()
    assert "1 trial failed: MemoryError: too large" in file.getvalue(), (
        "the diverged one is not counted again"
    )


def test_a_line_now_and_then_where_there_is_no_terminal(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    console, file = shown()
    with Progress(console, 2, 12, ["fid", "precision", "unheard"]) as progress:
        progress.started("p", pack)
        assert file.getvalue() == "", "not at once"
        monkeypatch.setattr("explorer.launch.progress._LINE_EVERY", -1.0)
        progress.advanced("p", 6)
        progress.evaluated(pack.trials[0].id, made_up(5, final=True))
    last = file.getvalue().splitlines()[-1]
    assert last.startswith(" 50% after")
    assert "1/2 trials ended, fid 6 precision 0.5" in last


def test_a_bar_in_a_terminal(pack: Pack) -> None:
    console, file = shown(terminal=True)
    with Progress(console, 2, 12, ["fid"]) as progress:
        progress.started("p", pack)
        progress.advanced("p", 12)
        progress.evaluated(pack.trials[0].id, made_up(8, final=True))
    assert "100%" in file.getvalue()
    assert "1/2 trials" in file.getvalue()
    assert "fid 9" in file.getvalue()


def test_a_sweep_that_is_only_read_shows_no_division_by_zero(pack: Pack) -> None:
    with Progress(shown()[0], 2, 0, ["fid"]) as progress:
        progress.started("p", pack)
        progress.advanced("p", 0)
        assert progress.iterations == 0


def test_of_many_trials_with_one_reason_the_first_are_named(pack: Pack) -> None:
    console, file = shown()
    with Progress(console, 9, 12, ["fid"]) as progress:
        progress.started("p", pack)
        for index in range(9):
            progress.evaluated(f"t{index}", made_up(4, False, diverged="it [bold]broke[/]"))
        progress.say("checkpoint [red]4.pt[/] was set aside")
    heard = file.getvalue()
    assert heard.count("failed: it [bold]broke[/]") == 4, "three by name, and the rest"
    assert "trial t2 failed" in heard
    assert "6 trials more failed: it [bold]broke[/]" in heard
    assert "note: checkpoint [red]4.pt[/] was set aside" in heard
