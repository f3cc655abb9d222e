"""Files of a node that others do not see are read and written through Ray as if they were there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCENE = """
import sys
from pathlib import Path
import ray
from explorer.launch.engine.exchange import Exchange
from explorer.launch.engine.keeper import FarFiles, files_here
from explorer.launch.marks import leave_mark
from trainables.training.local_files import LocalFiles
from trainables.training.state_files import Unreachable

ray.init(sys.argv[1], log_to_driver=False)
folder = Path(sys.argv[2])
exchange = ray.remote(Exchange).options(num_cpus=0).remote(str(folder))
token = leave_mark(folder)
assert isinstance(files_here(str(folder), token, exchange), LocalFiles)
far = files_here(str(folder), "the mark of another folder", exchange)
assert isinstance(far, FarFiles)
far.check()
far.write("a", "4.pt", b"state")
assert (folder / "a" / "4.pt").read_bytes() == b"state" == far.read("a", "4.pt")
assert far.listing() == {"a": ["4.pt"]} and far.names("a") == ["4.pt"]
assert far.place("a", "4.pt") == str(folder / "a" / "4.pt")
far.move("a", "4.pt", "b", "4.pt")
assert far.set_aside("b", "4.pt") == "4.pt.aside-1"
far.remove("b", "4.pt.aside-1")
assert far.names("b") == []
far.document("memo").save("text")
assert far.document("memo").load() == "text"
try:
    far.read("a", "none")
except FileNotFoundError:
    print("no such file")
ray.kill(exchange)
try:
    while True:  # it takes a moment to die
        far.names("a")
except Unreachable as error:
    print(error)
"""


@pytest.mark.cluster
def test_a_folder_that_is_not_seen_here(ray_address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCENE, ray_address, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "no such file",
        f"the node that keeps '{tmp_path}' does not answer",
    ]
