"""One driver per sweep: the second is refused with the first one's number, and a death lets go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.lock import sweep_lock
from explorer.results.store import ResultStore
from explorer.sweep import load_sweep
from tests.explorer.launch.conftest import Workplace
from tests.explorer.launch.small import tracker
from tests.stores import empty_store

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


DRIVE = """
import sys
from explorer.launch.run import run_sweep
from explorer.sweep import load_sweep
from rich.console import Console

def wait(plan):
    print("announced", flush=True)
    sys.stdin.readline()
    raise SystemExit(3)

run_sweep(load_sweep(sys.argv[1], sys.argv[2:]), Console(stderr=True), announce=wait)
"""


def test_a_driver_with_another_home_and_the_same_store_is_refused(workplace: Workplace) -> None:
    """A driver that is about to begin, and the whole command beside it."""
    store = f"tracking.uri={empty_store(workplace.folder / 'shared')}"
    file = workplace.file()
    begun = tracker(load_sweep(str(file), [store]))
    begun.close_sweep(interrupted=True)
    first = subprocess.Popen(
        [sys.executable, "-c", DRIVE, str(file), store],
        env={**workplace.environment, "TRADEOFF_HOME": str(workplace.folder / "other-home")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "announced\n"
    out, err = workplace.run("sweep", file, "--set", store, code=2)
    assert out == ""
    assert err.startswith("tradeoff: sweep 'tiny' is running already on ")
    assert err.endswith(f"(process {first.pid}); wait for it or stop it there\n")
    assert len(err.splitlines()) == 1
    assert not (workplace.home / "checkpoints").exists()
    first.communicate("\n", timeout=60)
    assert first.returncode == 3
    assert len(ResultStore(store.partition("=")[2]).table("tiny")) == 0
