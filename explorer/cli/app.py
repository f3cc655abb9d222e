"""``tradeoff app``: the explorer in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.ports import free_port

__all__ = ["app_command", "streamlit_arguments"]

PORT = 8501

SETTINGS = {
    "server.fileWatcherType": "none",
    "runner.magicEnabled": "false",
    "server.showEmailPrompt": "false",
    "browser.gatherUsageStats": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "warning",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "theme.primaryColor": "#3b7dd8",
    "theme.baseRadius": "0.6rem",
    "theme.showWidgetBorder": "true",
    "theme.light.backgroundColor": "#ffffff",
    "theme.light.secondaryBackgroundColor": "#f6f7f9",
    "theme.light.textColor": "#1c2430",
    "theme.light.borderColor": "#dfe3ea",
    "theme.dark.backgroundColor": "#11151c",
    "theme.dark.secondaryBackgroundColor": "#191f29",
    "theme.dark.textColor": "#e8ecf2",
    "theme.dark.borderColor": "#2d3644",
}
"""Streamlit's settings as flags, so that no file in the current folder decides how the product looks."""


def app_command(
    address: Annotated[
        str | None,
        typer.Argument(
            help="An MLflow store, a CSV file, an Optuna storage or a folder of Ray's; else the default store."
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="First port to try.", min=1, max=65535)] = PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 opens it to the network.")
    ] = "127.0.0.1",
    tracking_uri: Annotated[
        str | None, typer.Option(help="The same, as an option like that of the other commands.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--headless", help="Open a browser window.")] = True,
    refresh: Annotated[
        float,
        typer.Option(
            help="Seconds between two looks at a sweep that runs.", min=0.2, envvar="TRADEOFF_REFRESH"
        ),
    ] = 5.0,
    write: Annotated[
        bool, typer.Option("--write", help="Let readers promote trials; without it the app only reads.")
    ] = False,
    open_others: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Let readers open other addresses too, also where others than this machine can reach it.",
        ),
    ] = False,
) -> None:
    """Explore Pareto fronts in the browser."""
    from explorer.folders import default_tracking_uri
    from explorer.sources.opening import checked_source
    from explorer.store.addresses import named_address

    if address is not None and tracking_uri is not None:
        raise typer.BadParameter("give the address once: as an argument or as --tracking-uri")
    named = address or tracking_uri
    uri = checked_source(named_address(named, "the address") if named else default_tracking_uri())
    chosen = free_port(host, port)
    if chosen != port:
        typer.echo(f"Port {port} is busy, taking {chosen}.")
    shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    typer.echo(f"Tradeoff Explorer at http://{shown}:{chosen}  (Ctrl-C stops it)")
    environment = {
        "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
        **os.environ,
        "MLFLOW_TRACKING_URI": uri,
        "TRADEOFF_REFRESH": str(refresh),
        "TRADEOFF_HOST": host,
        "TRADEOFF_OPEN": "1" if open_others else "0",
        "TRADEOFF_WRITE": "1" if write else "0",
    }
    sys.stdout.flush()
    # The server takes this process' place: signals reach it directly and nothing is left behind.
    os.execve(sys.executable, streamlit_arguments(host, chosen, browser), environment)


def streamlit_arguments(host: str, port: int, browser: bool) -> list[str]:
    """The server's command line."""
    script = Path(__file__).resolve().parents[2] / "app" / "main.py"
    settings = {
        **SETTINGS,
        "server.address": host,
        "server.port": str(port),
        "server.headless": "false" if browser else "true",
    }
    flags = [f"--{key}={value}" for key, value in settings.items()]
    return [sys.executable, "-m", "streamlit", "run", str(script), *flags]
