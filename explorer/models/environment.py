"""What must be installed where a model is loaded: the versions it was made with, and no more than it needs."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from functools import cache
from importlib.metadata import packages_distributions, version
from sys import stdlib_module_names

__all__ = ["distributions", "environment_files", "look_around", "mlflow_version"]

ALWAYS = ("mlflow", "numpy", "pandas", "torch")
"""``pandas`` is how MLflow hands over what was asked."""


@cache
def distributions() -> Mapping[str, Sequence[str]]:
    """What is installed: by the top-level name of a module the distributions that have it. It takes half a second."""
    return packages_distributions()


def look_around() -> None:
    """Look now at what is installed, which whoever makes a model will ask for."""
    with suppress(Exception):  # which is told with the model that it costs
        distributions()
        mlflow_version()


@cache
def mlflow_version() -> str:
    """Of MLflow as it is installed here, whole or as the part that tells runs."""
    return version(distributions()["mlflow"][0])


@cache
def _requirements(installed: Set[str]) -> tuple[str, ...]:
    """Distributions with their versions; a local part such as ``+cpu`` is left out: no index has it."""
    known = distributions()
    modules = sorted({*ALWAYS, *installed} - stdlib_module_names)
    # Several distributions may have parts of a package: the whole one bears its name, as mlflow beside mlflow-skinny.
    wanted = {name if name in known[name] else known[name][0] for name in modules if name in known}
    return tuple(f"{name}=={version(name).partition('+')[0]}" for name in sorted(wanted, key=str.lower))


def environment_files(installed: frozenset[str]) -> Mapping[str, bytes]:
    """The files from which MLflow makes an environment. JSON is YAML, and needs no quoting rules of ours."""
    lines, python = _requirements(installed), platform.python_version()
    conda = {
        "name": "mlflow-env",
        "channels": ["conda-forge"],
        "dependencies": [f"python={python}", "pip", {"pip": list(lines)}],
    }
    own = {
        "python": python,
        "build_dependencies": ["pip", "setuptools", "wheel"],
        "dependencies": ["-r requirements.txt"],
    }
    return {
        "requirements.txt": "".join(f"{line}\n" for line in lines).encode(),
        "conda.yaml": _told(conda),
        "python_env.yaml": _told(own),
    }


def _told(value: object) -> bytes:
    return f"{json.dumps(value, indent=2)}\n".encode()
