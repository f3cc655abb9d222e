"""Modules that lie beside a sweep file, as artifacts."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.launch import brought_files as module
from explorer.launch.brought_files import brought_files
from explorer.sweep.plugins import Plugin


def test_what_is_large_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 10)
    for name in ("small.py", "large.py", "model"):
        place = tmp_path / name
        if name == "model":
            place.mkdir()
            place /= "__init__.py"
        place.write_text("x = 1" * (9 if name == "large.py" else 1))
    plugins = [
        Plugin(name.removesuffix(".py"), str(tmp_path / name)) for name in ("small.py", "large.py", "model")
    ]
    assert brought_files([*plugins, Plugin("json")]) == {
        "repeat/small.py": b"x = 1",
        "repeat/model/__init__.py": b"x = 1",
    }
