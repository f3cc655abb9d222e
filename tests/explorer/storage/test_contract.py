"""What every kind of files keeps: a folder, the same by address, an object store, a file system of pyarrow's."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from tests.explorer.storage.kinds import opened
from tests.object_store import ObjectStore
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.rows import LAYOUT, MATRICES, TrialState
from trainables.training.state_files import StateFiles

KINDS = ["folder", "file", "s3", "moved"]


@pytest.fixture(params=KINDS)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        store: ObjectStore = request.getfixturevalue("object_store")
        return store.address(request.node.name.replace("[", "-").replace("]", ""))
    return {"file": f"file://{tmp_path}/files", "moved": f"moved {tmp_path}/files"}.get(
        request.param, str(tmp_path / "files")
    )


@pytest.fixture
def files(storage: str) -> StateFiles:
    return opened(storage)


def test_what_is_written_is_read_and_listed(files: StateFiles) -> None:
    files.check()
    assert files.listing() == {}
    assert files.names("a") == []
    files.write("a", "5.pt", b"state")
    files.write("a", "5.pt", b"another")
    files.write("a", "note.txt", "λ".encode())
    files.write("b", "10.pt", b"")
    assert files.read("a", "5.pt") == b"another"
    assert files.read("b", "10.pt") == b""
    assert sorted(files.names("a")) == ["5.pt", "note.txt"]
    assert {trial: sorted(names) for trial, names in files.listing().items()} == {
        "a": ["5.pt", "note.txt"],
        "b": ["10.pt"],
    }


def test_a_large_file_is_whole(files: StateFiles) -> None:
    data = bytes(range(256)) * 100_000  # which S3 takes in several parts
    files.write("a", "5.pt", data)
    assert files.read("a", "5.pt") == data


def test_what_is_gone_is_gone(files: StateFiles) -> None:
    files.write("a", "5.pt", b"state")
    files.remove("a", "5.pt")
    files.remove("a", "5.pt")
    assert files.names("a") == []
    with pytest.raises(FileNotFoundError):
        files.read("a", "5.pt")
    with pytest.raises(FileNotFoundError):
        files.set_aside("a", "5.pt")


def test_a_file_set_aside_keeps_what_it_holds(files: StateFiles) -> None:
    for number in (1, 2):
        files.write("a", "5.pt", str(number).encode())
        assert files.set_aside("a", "5.pt") == f"5.pt.aside-{number}"
    assert sorted(files.names("a")) == ["5.pt.aside-1", "5.pt.aside-2"]
    assert files.read("a", "5.pt.aside-1") == b"1"


def test_trials_are_renamed_unless_they_have_files(files: StateFiles) -> None:
    for trial in ("old-1", "old-2", "new-2"):
        files.write(trial, "5.pt", trial.encode())
    files.rename_trials({"new-1": "old-1", "new-2": "old-2", "new-3": "old-3"})
    assert set(files.listing()) == {"new-1", "new-2", "old-2"}
    assert files.read("new-1", "5.pt") == b"old-1"
    assert files.read("new-2", "5.pt") == b"new-2"


def test_documents_are_no_trials(files: StateFiles) -> None:
    document = files.document("demo-1")
    assert document.load() is None
    document.save("{}")
    document.save('{"λ": 1}')
    assert files.document("demo-1").load() == '{"λ": 1}'
    assert files.listing() == {}


WRITES = """
import sys
sys.path[:0] = sys.argv[2:]
from tests.explorer.storage.kinds import opened
files = opened(sys.argv[1])
files.write("a", "5.pt", b"0" * 12_000_000)
print("begun", flush=True)
for number in range(1, 10**6):
    files.write("a", "5.pt", str(number % 10).encode() * 12_000_000)
"""


def test_killed_in_the_middle_of_a_write_the_file_before_is_whole(storage: str) -> None:
    root = str(Path(__file__).parents[3])
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITES, storage, root], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    with writer, writer.stdout:
        assert writer.stdout.readline() == "begun\n"
        time.sleep(0.3)
        writer.send_signal(signal.SIGKILL)
    files = opened(storage)
    data = files.read("a", "5.pt")
    assert len(data) == 12_000_000
    assert len(set(data)) == 1
    assert [name for name in files.names("a") if not name.startswith(".")] == ["5.pt"]


def state(iteration: int) -> TrialState:
    rows = {
        name: torch.full((3,), float(iteration)) for name in ("constraint", "generator_constraint", *MATRICES)
    }
    return {**rows, "iteration": torch.tensor(iteration), "layout": torch.tensor(LAYOUT)}


def test_writers_of_the_same_trials_never_take_a_state_from_a_reader(storage: str) -> None:
    """Two save at their own pace while a third looks for what it would go on from."""
    faults: list[BaseException] = []

    def write(step: int) -> None:
        folder = CheckpointFolder(opened(storage))
        try:
            for number in range(1, 12):
                folder.save({trial: state(step * number) for trial in ("a", "b")})
        except BaseException as error:
            faults.append(error)

    CheckpointFolder(opened(storage)).save({trial: state(1) for trial in ("a", "b")})
    threads = [threading.Thread(target=write, args=(step,)) for step in (3, 5)]
    for thread in threads:
        thread.start()
    said: list[str] = []
    reader = CheckpointFolder(opened(storage), said.append)
    reached, looks = 0, 0
    writing = True
    while writing:
        writing = any(thread.is_alive() for thread in threads)
        found = reader.newest_states(["a"])
        assert int(found["a"]["iteration"]) >= reached
        reached, looks = int(found["a"]["iteration"]), looks + 1
    assert (faults, said) == ([], [])
    assert reached == 55
    assert looks > 1
    assert reader.iterations("a") == reader.iterations("b") == [1, 33, 55]


def test_checkpoints_of_a_pack_go_there_and_back(files: StateFiles) -> None:
    folder = CheckpointFolder(files)
    trials = [f"{number:012x}" for number in range(20)]
    for iteration in (10, 20):
        folder.save({trial: state(iteration) for trial in trials})
    again = CheckpointFolder(files)
    found = again.newest_states([*trials, "absent"])
    assert {trial: int(one["iteration"]) for trial, one in found.items()} == dict.fromkeys(trials, 20)
    assert files.listing() == {trial: ["20.pt"] for trial in trials}
    again.save({trial: state(30) for trial in trials})
    assert files.listing() == {trial: ["30.pt"] for trial in trials}, "what was begun from goes too"
    folder.set_note(trials[3], "ended early")
    assert folder.notes(trials) == {trials[3]: "ended early"}
