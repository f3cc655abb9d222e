"""A model is tried where the modules of its members are not, and ours are trusted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.models import Tried, model_files
from tests.trainables.samplers.trained import KINDS, TAGGED, of_config, trained


def _files(folder: Path, name: str, module: str) -> dict[str, bytes]:
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(module.replace('"tagged"', f'"{name}"'))
    (folder / name / "size.txt").write_text("4")
    changes = {**KINDS["tagged"], "plugins": [name], "model": {"name": name}}
    return model_files(of_config(changes, folder).file)


def test_a_module_that_reads_a_file_beside_itself_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 'from pathlib import Path\n\nSIZE = int((Path(__file__).parent / "size.txt").read_text())\n'
    files, tried = _files(tmp_path, "reads_beside", reads + TAGGED), Tried()
    before = (list(sys.path), set(sys.modules))
    fault = tried.fault(files)
    assert fault is not None
    assert "size.txt" in fault
    assert (list(sys.path), set(sys.modules) - before[1]) == (before[0], set())
    monkeypatch.setattr(subprocess, "run", None)
    assert tried.fault(files) == fault


def test_a_module_that_imports_by_a_name_of_its_own_making_is_told(tmp_path: Path) -> None:
    finds = TAGGED.replace(
        "    from math", "    __import__('importlib').import_module('finds_itself')\n    from math"
    )
    assert "finds_itself is no module there" in (Tried().fault(_files(tmp_path, "finds_itself", finds)) or "")


def test_what_loads_is_sound_and_ours_is_not_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Tried().fault(_files(tmp_path, "sound", TAGGED)) is None
    slow = _files(tmp_path, "slow_to_load", f"import time\ntime.sleep(0.1)\n{TAGGED}")
    monkeypatch.setattr("explorer.models.trying.PATIENCE", 0.001)
    assert Tried().fault(slow) is None, "a machine that is busy costs no model"
    monkeypatch.setattr(subprocess, "run", None)
    assert Tried().fault(model_files(trained("points").file)) is None


def test_a_process_that_falls_is_told(tmp_path: Path) -> None:
    falls = f"import os\n\nif __name__ != 'falls':\n    os._exit(3)\n{TAGGED}"
    assert Tried().fault(_files(tmp_path, "falls", falls)) == "its process ended with 3"
