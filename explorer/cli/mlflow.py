"""``tradeoff mlflow``: MLflow's own pages on the sweeps' runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from explorer.cli.ports import free_port

__all__ = ["mlflow"]


def mlflow(
    port: Annotated[int, typer.Option(help="Port to serve on.", min=1, max=65535)] = 5000,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to show.")] = None,
) -> None:
    """Open MLflow's pages, to compare runs. Ctrl-C ends it."""
    from explorer.folders import default_database, default_tracking_uri
    from explorer.store.addresses import checked_address, shown_address, sqlite_address, sqlite_file
    from explorer.store.database import check_database, make_database

    uri = checked_address(tracking_uri or default_tracking_uri())
    if uri.startswith(("http://", "https://")):
        print(f"the runs are on a server already: open {uri}")
        return
    # MLflow's server ends with code 0 when its port is taken.
    free_port("127.0.0.1", port, tries=1)
    file = sqlite_file(uri)
    if file is not None:
        # MLflow itself would lay out or change tables in place, and break the file when it is killed meanwhile.
        if file == default_database():
            make_database(file)
        check_database(file)
    print(f"MLflow on http://127.0.0.1:{port}, reading {shown_address(uri)}", flush=True)
    # One worker and no job runner: a tenth of the memory and a third of the start-up of MLflow's default.
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    options = ["--backend-store-uri", sqlite_address(uri), "--port", str(port), "--workers", "1"]
    os.execve(sys.executable, [sys.executable, "-m", "mlflow", "server", *options], environment)
