"""Whether a model loads where its user's modules are not: tried once for each package of code, in its own process.

Modules lie in an archive. One that reads a file beside itself, or imports another by a name that is made up as it runs,
works where the sweep does and nowhere else. Our own do neither, which is tested.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["Tried"]

PATIENCE = 120.0
"""Seconds after which a machine is taken to be busy, and the model to be sound."""

LOADING = """
import importlib, json, sys
code, data, package, carried, sys.path[:] = json.load(sys.stdin)

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in carried:
            raise ImportError(f"{name} is no module there")

sys.meta_path.insert(0, Refused())
sys.path.insert(0, code)
try:
    importlib.import_module(package)._load_pyfunc(data).predict({"n": 1, "seed": 0})
except BaseException as error:
    print(json.dumps(" ".join(f"{type(error).__name__}: {error}".split())[:300]))
else:
    print(json.dumps(None))
"""
"""What goes along under another name is refused under its own, wherever it may lie."""


class Tried:
    """What came of it, by package."""

    def __init__(self) -> None:
        self._faults: dict[str, str | None] = {}

    def fault(self, files: Mapping[str, bytes]) -> str | None:
        """Why a model of these files cannot be loaded; None if it can, or has no modules but ours."""
        package = json.loads(files["MLmodel"])["flavors"]["python_function"]["loader_module"]
        if package not in self._faults:
            carried = _heads(files[f"code/{package}/modules.zip"])
            theirs = carried - {"served", "trainables", "explorer"}
            self._faults[package] = _fault(files, package, carried) if theirs else None
        return self._faults[package]


def _heads(archive: bytes) -> set[str]:
    """Top-level names of the modules in an archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name.partition("/")[0].removesuffix(".py") for name in opened.namelist()}


def _fault(files: Mapping[str, bytes], package: str, carried: set[str]) -> str | None:
    with TemporaryDirectory(prefix="tradeoff-model-") as folder:
        for name, content in files.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        refused = sorted((carried | {"explorer", "trainables", "app"}) - {"served"})
        asked = json.dumps([f"{folder}/code", f"{folder}/data", package, refused, sys.path])
        try:
            done = subprocess.run(
                [sys.executable, "-c", LOADING],
                input=asked.encode(),
                capture_output=True,
                cwd=folder,
                # It is no trial: no device is its own, and one core will do.
                env={**environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    try:
        fault = json.loads(lines[-1])
    except (IndexError, ValueError):
        return f"its process ended with {done.returncode}"
    return None if fault is None else str(fault)
