"""Whether the tracking store answers, can be written, and is of this MLflow."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Iterator

from explorer.doctor.finding import Finding, Subject
from explorer.errors import UserError, root_cause
from explorer.folders import default_database
from explorer.store.addresses import checked_address, shown_address, sqlite_file
from explorer.store.database import check_database
from explorer.store.lean import is_plainly_whole
from explorer.store.versions import installed_mlflow

__all__ = ["check_store"]

_WAIT_S = 5.0


def check_store(subject: Subject) -> Iterator[Finding]:
    """A file is a whole store that can be written; a server says which MLflow it is; another database is not asked."""
    shown = shown_address(subject.uri)
    try:
        checked_address(subject.uri)
        file = sqlite_file(subject.uri)
        if subject.uri.startswith(("http://", "https://")):
            yield _server(subject.uri)
        elif file is None:
            yield Finding("MLflow", "ok", f"{shown}: a database, whose driver is installed")
        elif not file.exists() and file != default_database():
            check_database(file)
        elif not file.exists():
            yield Finding("MLflow", "ok", f"{shown}: not there yet; the first sweep makes it")
        else:
            if not is_plainly_whole(file):
                subject.tell("looking at the tracking store")
                check_database(file)  # with MLflow, which takes seconds to load
            if os.access(file, os.W_OK) and os.access(file.parent, os.W_OK):
                yield Finding("MLflow", "ok", f"{shown}, MLflow {installed_mlflow()}")
            else:
                yield Finding(
                    "MLflow", "problem", f"{shown} can be read and not written",
                    "give yourself the right to write the file and its folder, or set tracking.uri",
                )  # fmt: skip
    except UserError as error:
        yield Finding("MLflow", "problem", str(error), "name another with --tracking-uri")


def _server(uri: str) -> Finding:
    shown, ours = shown_address(uri), installed_mlflow()
    try:
        with urllib.request.urlopen(f"{uri.rstrip('/')}/version", timeout=_WAIT_S) as answer:
            theirs = answer.read(100).decode("ascii", "replace").strip()
    except urllib.error.HTTPError as error:
        return Finding(
            "MLflow", "problem", f"{shown} answers with {error.code} {error.reason}",
            "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, if it asks for them",
        )  # fmt: skip
    except (OSError, ValueError) as error:
        return Finding(
            "MLflow", "problem", f"{shown} does not answer ({root_cause(error)})", "start it, or name another"
        )
    if not theirs or not theirs[0].isdigit():
        return Finding("MLflow", "problem", f"{shown} answers, and is no MLflow server", "name another")
    if theirs.split(".")[:2] != ours.split(".")[:2]:
        return Finding(
            "MLflow", "note", f"{shown} is MLflow {theirs}, installed is {ours}", "bring both to one version"
        )
    return Finding("MLflow", "ok", f"{shown}, MLflow {theirs}")
