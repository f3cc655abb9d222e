"""What lies among the checkpoints: told with sizes, and only halves of dead processes are deleted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from explorer.doctor.checkpoints import check_checkpoints
from explorer.doctor.finding import Subject
from tests.explorer.doctor.broken import A, B


def test_strangers_halves_and_files_set_aside(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for trial in (A, B):
        (tmp_path / trial).mkdir()
        (tmp_path / trial / "8.pt").write_bytes(b"x" * 1500)
    dead = tmp_path / A / f".16.pt.{gone.pid}-00ff00ff.partial"
    alive = tmp_path / A / f".16.pt.{os.getpid()}.partial"
    aside = tmp_path / A / "4.pt.aside-1"
    for file in (dead, alive, aside):
        file.write_bytes(b"y" * 2000)
        os.utime(file, (0, 0))
    young = tmp_path / A / f".24.pt.{gone.pid}-0a1b2c3d.partial"
    young.write_bytes(b"z")
    (tmp_path / "somebody else's").mkdir()
    asked = Subject("sqlite:///x", storages=[str(tmp_path)])
    halves, strangers, set_aside = check_checkpoints(asked, {A})
    assert halves.sentence == f"1 half file of dead processes, 2 kB, in '{tmp_path}'"
    assert strangers.sentence == f"states of 1 trial unknown to this store, 1.5 kB, in '{tmp_path}'"
    assert set_aside.sentence.startswith("1 file set aside")
    assert (halves.state, strangers.state, set_aside.state) == ("problem", "note", "note")
    assert strangers.repair is None, "it may be of another store"
    assert set_aside.repair is None
    assert halves.repair is not None
    assert halves.repair() == "1 half file deleted, 2 kB"
    assert not dead.exists()
    assert alive.exists()
    assert aside.exists()
    assert young.exists(), "perhaps another node's, which has processes of the same number"
    assert (tmp_path / B / "8.pt").exists()
    assert (tmp_path / A / "8.pt").exists()


def test_of_one_sweep_only_its_own_trials_are_looked_at(tmp_path: Path) -> None:
    for trial in (A, B):
        (tmp_path / trial).mkdir()
        (tmp_path / trial / "8.pt").write_bytes(b"x" * 1500)
    (one,) = check_checkpoints(Subject("sqlite:///x", sweep="s", storages=[str(tmp_path)]), {A})
    assert (one.state, one.sentence) == ("ok", "states of 1 trial, 1.5 kB")


def test_a_folder_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert list(check_checkpoints(Subject("sqlite:///x", storages=[str(tmp_path / "no")]), set())) == []
