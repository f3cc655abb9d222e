"""One driver per sweep: the second is refused with the first one's number, and a death lets go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.lock import sweep_lock

HOLD = """
import sys
from explorer.launch.lock import sweep_lock
with sweep_lock("mine"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    return tmp_path


def test_a_second_driver_is_refused_and_told_who_holds_it() -> None:
    with sweep_lock("mine"):
        with (
            pytest.raises(UserError, match=rf"sweep 'mine' is running already \(process {os.getpid()}\)"),
            sweep_lock("mine"),
        ):
            raise AssertionError("two drivers of one sweep")
        with sweep_lock("other"):
            pass


def test_it_is_free_again_after_the_block_and_after_an_error() -> None:
    with pytest.raises(KeyError), sweep_lock("mine"):
        raise KeyError("trouble")
    with sweep_lock("mine"):
        pass


def test_a_killed_driver_leaves_it_free(home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "held\n"
        with pytest.raises(UserError, match=f"process {driver.pid}"), sweep_lock("mine"):
            pass
        driver.kill()
    with sweep_lock("mine"):
        assert (home / "locks" / "mine.lock").read_text() == str(os.getpid())
