"""Where a run comes from: who launched which code on which machine, as tags of every run of a launch."""

from __future__ import annotations

import getpass
import json
import os
import platform
import socket
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from explorer.store.schema import TAG_LIMIT
from explorer.sweep.sweep import Sweep
from trainables.config import fingerprint
from trainables.datasets.dataset import Dataset

__all__ = ["Origin", "origin", "provenance"]

SLOWEST = 3.0
"""Seconds that git may take; a checkout that is slower is not told of."""

_PACKAGE = Path(__file__).resolve().parents[1]


def provenance(sweep: Sweep) -> dict[str, str]:
    """Tags of every run that this launch begins, but for those of the machine that trains: see ``origin``.

    ``mlflow.source.git.commit`` and ``tradeoff.dirty`` are of the checkout that the package lies in, else of the one
    that the sweep file lies in; absent where there is none, or no git to ask.
    """
    file = Path(sweep.file) if sweep.file else None
    found = {
        "tradeoff.version": _version("tradeoff-explorer"),
        "tradeoff.python": platform.python_version(),
        "tradeoff.torch": _version("torch"),
        "tradeoff.driver": socket.gethostname(),
        "mlflow.user": _user(),
        "mlflow.source.type": "LOCAL",
        "mlflow.source.name": sweep.file or sweep.name,
        **(_commit(_PACKAGE, "__init__.py") or (_commit(file.parent, file.name) if file else {})),
    }
    return {tag: text[:TAG_LIMIT] for tag, text in found.items() if text}


class Origin(NamedTuple):
    """Where and on what a pack is trained, as its own process knows it.

    Attributes:
        tags: of the runs of its trials.
        name, digest, source: of the data. The digest is of what is trained on: of all samples where they are held, of
            names and sizes of files where these are read as training goes on, else of the fields that make the data.
    """

    tags: Mapping[str, str]
    name: str
    digest: str
    source: str


def origin(dataset: Dataset, content: str | None, device: str) -> Origin:
    """What this process is and has; ``content``: the digest of samples that are not made from fields alone."""
    fields = {key: value for key, value in dataset.plain().items() if value is not None}
    digest = fingerprint(dataset.signature() if content is None else [dataset.name, content])
    return Origin(
        _machine(device), dataset.name, digest, json.dumps({"tags": fields}, default=str)[:TAG_LIMIT]
    )


def _machine(device: str) -> dict[str, str]:
    """Its name, its card or its processor, and what torch is."""
    import torch

    card = device == "cuda"
    found = {
        "tradeoff.host": socket.gethostname(),
        "tradeoff.device": torch.cuda.get_device_name() if card else f"CPU, {platform.machine()}",
        "tradeoff.torch": str(torch.__version__),
        "tradeoff.cuda": str(torch.version.cuda or "none") if card else "none",
        "tradeoff.python": platform.python_version(),
    }
    return {tag: text[:TAG_LIMIT] for tag, text in found.items()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may run as a number without a name
        return str(os.getuid()) if hasattr(os, "getuid") else ""


@cache
def _commit(folder: Path, name: str) -> dict[str, str]:
    """Commit of the checkout that has this file under its care, and whether anything in it was changed since."""
    # An environment inside a checkout of something else is not what that commit holds.
    if _git(folder, "ls-files", "--error-unmatch", name) is None:
        return {}
    commit = _git(folder, "rev-parse", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    if not commit:
        return {}
    dirty = {} if changed is None else {"tradeoff.dirty": "true" if changed else "false"}
    return {"mlflow.source.git.commit": commit, **dirty}


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says; None where there is none, where it refuses, or where it takes too long."""
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        found = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SLOWEST,
            env=environment,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return found.stdout.decode("utf-8", "replace").strip()
