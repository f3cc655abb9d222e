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
engine = Engine(Opening(None, ResourceSpec()), Path(sys.argv[1]))
for _ in engine.wait():
    pass
print(engine._process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.cluster
def test_a_driver_that_is_killed_leaves_nothing_of_ray_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path / "ray.log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        room = int(driver.stdout.readline())
        started = [room, *descendants(room)]
        assert named("raylet", among=started)
        os.kill(driver.pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while any(map(alive, started)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not [pid for pid in started if alive(pid)]
