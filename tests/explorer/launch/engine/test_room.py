"""The process of Ray ends with its driver, however that ends, and takes Ray along."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import alive, descendants, named

DRIVER = """
import sys, time
from pathlib import Path
from explorer.launch.engine.engine import Engine
from explorer.launch.engine.messages import Opening
from explorer.sweep.resources import ResourceSpec
engine = Engine(Path(sys.argv[1]))
engine.open(Opening(None, ResourceSpec()))
print(engine._process.pid, flush=True)
for _ in engine.wait():
    pass
print("runs", flush=True)
time.sleep(600)
"""


@pytest.mark.cluster
# The campaign of faults kills a driver whose Ray runs, too.
@pytest.mark.parametrize("when", [pytest.param("it runs", marks=pytest.mark.slow), "it cannot start"])
def test_a_driver_that_is_killed_leaves_nothing_of_ray_behind(tmp_path: Path, when: str) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "ray.log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        room = int(driver.stdout.readline())
        if when == "it runs":
            assert driver.stdout.readline() == "runs\n"
            assert named("raylet", among=descendants(room))
        else:
            os.kill(_gcs(room), signal.SIGKILL)  # Ray's start would wait for it for a minute
        started = [room, *descendants(room)]
        os.kill(driver.pid, signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(map(alive, started)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not [pid for pid in started if alive(pid)]


def _gcs(room: int) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = named("/gcs_server ", among=descendants(room))
        if found:
            return found[0]
        time.sleep(0.02)
    raise AssertionError("Ray did not begin to start")
