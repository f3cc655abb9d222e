"""``tradeoff delete`` asks twice, on a terminal and in scripts, and says how it is undone."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.tracking import Tracker
from explorer.tracking.lease import Pace
from tests.stores import empty_store


@pytest.fixture
def uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("explorer.tracking.lease.PACE", Pace(settle=0.01))
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"fid": "min"}, "", "name: demo\nresources: {storage: /far/away}\n", "{}")
    tracker.start([("aa11", {"seed": 0}), ("bb22", {"seed": 1})])
    tracker.close_sweep(interrupted=False)
    return uri


def run(uri: str, *arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["delete", *arguments, "--tracking-uri", uri])


def names(uri: str) -> list[str]:
    return [info.name for info in ResultStore(uri).sweeps()]


def test_a_script_names_the_sweep_twice_and_is_told_how_it_comes_back(uri: str) -> None:
    done = run(uri, "demo", "--yes", "demo")
    assert done.exit_code == 0, done.exception
    assert "2 trials (2 killed)" in done.stdout
    assert f"back again: tradeoff delete demo --undo --tracking-uri {uri} --experiment tests" in done.stdout
    assert "checkpoints stay in /far/away" in done.stdout
    assert names(uri) == []
    back = run(uri, "demo", "--undo")
    assert back.stdout == "sweep 'demo' is back in experiment 'tests', with 2 trials\n"
    assert names(uri) == ["demo"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("demo",), "nobody can be asked here; add --yes demo"),
        (("demo", "--yes", "dem"), "and not 'dem'; nothing was deleted"),
        (("demo", "--undo", "--yes", "demo"), "leave --yes out"),
        (("dema", "--yes", "dema"), "did you mean 'demo'"),
        (("demo", "--undo"), "no sweep 'demo' in MLflow's trash"),
        (("demo", "--yes", "demo", "--experiment", "other"), "no sweep 'demo'"),
    ],
)
def test_anything_less_deletes_nothing(uri: str, arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(uri, *arguments)
    assert isinstance(refused.exception, UserError)
    assert sentence in str(refused.exception)
    assert names(uri) == ["demo"]


@pytest.mark.parametrize(
    ("typed", "code", "left"),
    [
        ("demo\n", 0, []),
        pytest.param("yes\n", 2, ["demo"], marks=pytest.mark.slow),
        pytest.param("\x03", 130, ["demo"], marks=pytest.mark.slow),
    ],
)
def test_on_a_terminal_the_name_is_typed(uri: str, typed: str, code: int, left: list[str]) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "explorer", "delete", "demo", "--tracking-uri", uri]
    # A session of its own with the terminal as its own, so that Ctrl-C typed there is a signal.
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=_own_terminal,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while b"Type the sweep's name" not in said:
        said += os.read(ours, 1000)
    os.write(ours, typed.encode())
    try:
        while True:
            if select.select([ours], [], [], 5.0)[0]:
                if not os.read(ours, 1000):
                    break
            elif (
                typed == "\x03"
            ):  # Python may miss one that comes just before it waits for a key; people press again
                os.write(ours, typed.encode())
    except OSError:  # its end
        pass
    os.close(ours)
    assert process.wait(timeout=60) == code
    assert names(uri) == left


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
