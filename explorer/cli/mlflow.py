"""``tradeoff mlflow``: MLflow's own pages on the sweeps' runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

__all__ = ["mlflow"]


def mlflow(
    port: Annotated[int, typer.Option(help="Port to serve on.")] = 5000,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to show.")] = None,
) -> None:
    """Open MLflow's pages, to compare runs. Ctrl-C ends it."""
    from explorer.folders import default_tracking_uri

    uri = tracking_uri or default_tracking_uri()
    if uri.startswith(("http://", "https://")):
        print(f"the runs are on a server already: open {uri}")
        return
    print(f"MLflow on http://127.0.0.1:{port}, reading {uri}", flush=True)
    # One worker and no job runner: a tenth of the memory and a third of the start-up of MLflow's default.
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    options = ["--backend-store-uri", uri, "--port", str(port), "--workers", "1"]
    os.execve(sys.executable, [sys.executable, "-m", "mlflow", "server", *options], environment)
