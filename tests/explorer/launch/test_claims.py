"""One driver per base: another waits for it, for all of its bases at once, and goes on when it is over or dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch import claims
from explorer.launch.claims import Claims

HOLD = """
import sys
from explorer.launch.claims import Claims
from pathlib import Path
with Claims("other", "here") as held:
    held.take(sys.argv[1:], print)
    print("held", flush=True)
    for line in sys.stdin:
        held.release(line.strip())
        print("released", flush=True)
"""


HERE = "here"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.setattr(claims, "PAUSE", 0.05)
    return tmp_path


@contextmanager
def other_driver(*bases: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLD, *bases]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "held\n"
        yield driver


def told_then(act) -> tuple[list[str], object]:
    """What was told, and a listener that acts on the first of it."""
    heard: list[str] = []

    def listen(line: str) -> None:
        heard.append(line)
        threading.Timer(0.2, act).start()

    return heard, listen


def test_a_base_that_nobody_holds_is_ours_at_once(home: Path) -> None:
    with Claims("mine", HERE) as held:
        held.take(["b", "a"], pytest.fail)
        (lock,) = (home / "locks").glob("base.a.*.lock")
        assert lock.read_text() == f"{os.getpid()} mine"
        held.take(["b"], pytest.fail)
        with Claims("elsewhere", "there") as other:
            other.take(["a"], pytest.fail)


def test_another_waits_until_the_base_is_over() -> None:
    with other_driver("a", "b") as driver, Claims("mine", HERE) as held:
        heard, listen = told_then(lambda: print("b", file=driver.stdin, flush=True))
        held.take(["b"], listen)
        assert heard == [f"waiting for base b, which sweep 'other' (process {driver.pid}) trains"]
        driver.kill()


def test_a_killed_driver_lets_go() -> None:
    with other_driver("a") as driver, Claims("mine", HERE) as held:
        heard, listen = told_then(driver.kill)
        held.take(["a"], listen)
        assert len(heard) == 1, "told once"


def test_while_it_waits_it_holds_nothing_that_others_wait_for() -> None:
    with other_driver("b") as driver, Claims("mine", HERE) as held:

        def look() -> None:
            with Claims("third", HERE) as third:
                third.take(["a"], found.append)
                found.append("free")
            driver.kill()

        found: list[object] = []
        _, listen = told_then(look)
        held.take(["a", "b"], listen)
        assert found == ["free"], "a was free all the time"


def test_an_interrupt_ends_the_wait_and_leaves_nothing_held() -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with other_driver("b") as driver:
        with pytest.raises(KeyboardInterrupt), Claims("mine", HERE) as held:
            held.take(["a", "b"], interrupt)
        with Claims("third", HERE) as third:
            third.take(["a"], pytest.fail)
        driver.kill()


def test_a_data_folder_that_cannot_be_written_is_the_users_to_mend(home: Path) -> None:
    (home / "locks").write_text("a file where a folder should be")
    with (
        pytest.raises(UserError, match=r"the data folder '.*' must be writable"),
        Claims("mine", HERE) as held,
    ):
        held.take(["a"], pytest.fail)


@pytest.mark.parametrize("text", ["", "12", None])
def test_a_holder_that_does_not_tell_is_another_process(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "x.lock"
    if text is not None:
        file.write_text(text)
    assert claims._holder(file) == "another process"
