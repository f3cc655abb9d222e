"""What is sent to a cluster: the sweep as it was read here and its own modules, nothing else of the user's folder."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from explorer.errors import UserError, shown
from explorer.store.addresses import named_address, sqlite_file
from explorer.sweep.sweep import Sweep

__all__ = ["SWEEP_FILE", "pack", "sent_variables", "where_runs_go"]

SWEEP_FILE = "sweep.yaml"
TRACKING = "MLFLOW_TRACKING_URI"

_NOT_SENT = shutil.ignore_patterns("__pycache__", ".git", ".gitignore", ".rayignore")
"""The last two would keep files of a package from being sent, whatever they are."""


def pack(sweep: Sweep, folder: Path) -> None:
    """Write the sweep with all changes laid over it, and its modules beside it, into an empty folder."""
    import yaml

    _check_paths(sweep)
    document = {**sweep.document, "plugins": [plugin.module for plugin in sweep.plugins]}
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    (folder / SWEEP_FILE).write_text(text, encoding="utf-8")
    for plugin in sweep.plugins:
        if plugin.path is None:
            continue  # installed: the nodes must have it
        source = Path(plugin.path)
        if source.is_dir():
            shutil.copytree(source, folder / plugin.module, ignore=_NOT_SENT)
        else:
            shutil.copyfile(source, folder / f"{plugin.module}.py")


def _check_paths(sweep: Sweep) -> None:
    """Refuse places that would lie in the folder of the job, which the cluster throws away."""
    storage = sweep.resources.storage
    if storage is not None and "://" not in storage and not storage.startswith(("/", "~")):
        raise UserError(
            f"resources.storage of a sweep that is submitted must be an absolute path, got {shown(storage)}; every "
            "node must see it"
        )
    uri = sweep.tracking.uri or ""
    if uri.startswith("sqlite") and not uri.partition(":///")[2].startswith(("/", "~")):
        raise UserError(
            f"tracking.uri of a sweep that is submitted must name an absolute path or a server, got {shown(uri)}"
        )


def sent_variables(asked: Iterable[str]) -> dict[str, str]:
    """Variables of the job's environment from ``NAME=VALUE``, or ``NAME`` for the value it has here."""
    sent: dict[str, str] = {}
    for text in asked:
        name, given, value = text.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,199}", name):
            raise UserError(f"--env takes NAME or NAME=VALUE, got {shown(name)}")
        if not given and name not in os.environ:
            raise UserError(
                f"--env {name} passes on the value that {name} has here, but it is not set; write --env {name}=VALUE"
            )
        sent[name] = value if given else os.environ[name]
        if name == TRACKING:  # whoever may see the dashboard can read what a job's variables are
            named_address(sent[name], f"--env {TRACKING}")
    return sent


def where_runs_go(sweep: Sweep, sent: dict[str, str]) -> str | None:
    """A sentence where runs may end in a file on the head node, which others do not see; else None."""
    uri = sweep.tracking.uri or sent.get(TRACKING)
    if uri is None:
        return (
            f"this sweep names no tracking store: its runs go where {TRACKING} of the head node says, else into SQLite "
            f"in the data folder there (--env {TRACKING}=http://… names a server)"
        )
    if sqlite_file(uri) is not None:
        return f"the tracking store {uri} is a file on the head node"
    return None
