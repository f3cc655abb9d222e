"""``tradeoff mlflow``: MLflow's own pages, opened on a sweep's trials beside each other."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["mlflow"]

PORT = 5000


def mlflow(
    sweep: Annotated[
        str | None, typer.Argument(help="The sweep whose trials are compared; the newest if none is named.")
    ] = None,
    port: Annotated[int, typer.Option(help="First port to try.", min=1, max=65535)] = PORT,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to show.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--headless", help="Open a browser window.")] = True,
) -> None:
    """Compare a sweep's runs on MLflow's pages. Ctrl-C ends it."""
    from explorer.cli.mlflow_server import ServedStore, open_page
    from explorer.folders import default_database
    from explorer.store.addresses import asked_address, checked_address, shown_address, sqlite_file
    from explorer.store.database import check_database, make_database

    uri = checked_address(asked_address(tracking_uri))
    if uri.startswith(("http://", "https://")):
        page = f"{shown_address(uri).rstrip('/')}/{_comparison(uri, sweep, experiment)}"
        print(f"the runs are on a server already: {page}", flush=True)
        open_page(page, browser)
        return
    file = sqlite_file(uri)
    if file is not None:
        # MLflow itself would lay out or change tables in place, and break the file when it is killed meanwhile.
        if file == default_database():
            make_database(file)
        check_database(file)
    with ServedStore(uri, port) as server:
        # Looked for while the server starts, which takes longer.
        page = f"{server.address}/{_comparison(uri, sweep, experiment)}"
        server.wait()
        print(f"MLflow reads {shown_address(uri)}; compare runs on\n{page}\n(Ctrl-C ends it)", flush=True)
        open_page(page, browser)
        server.watch()


def _comparison(uri: str, name: str | None, experiment: str | None) -> str:
    """The part of the link behind the address: a sweep's comparison, the list of experiments where there is none."""
    from explorer.errors import UserError, brief
    from explorer.mlflow_pages import comparison
    from explorer.results.store import ResultStore
    from explorer.store.addresses import shown_address
    from explorer.store.reach import PROMPT_S

    store = ResultStore(uri, experiment, PROMPT_S)
    if name is not None:
        return comparison(store, store.info(name))
    newest = next(iter(store.sweeps()), None)
    if newest is None and experiment is not None:
        raise UserError(
            f"experiment '{brief(experiment)}' must have a sweep to compare, and {shown_address(uri)} has none in it; "
            "leave out --experiment, or see `tradeoff list`"
        )
    return "#/experiments" if newest is None else comparison(store, newest)
