"""``tradeoff submit FILE|PRESET --address http://HEAD:8265``: a sweep as a job of a running cluster."""

from __future__ import annotations

import json
import secrets
import sys
from dataclasses import asdict
from typing import Annotated

import typer

__all__ = ["submit"]


def submit(
    source: Annotated[
        str, typer.Argument(metavar="FILE|PRESET", help="A sweep file, or the name of a preset.")
    ],
    address: Annotated[
        str,
        typer.Option(
            help="The cluster's job server, where its dashboard is: http://HEAD:8265.",
            envvar="RAY_API_SERVER_ADDRESS",
        ),
    ],
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change a field; may be repeated.")
    ] = None,
    trials: Annotated[int | None, typer.Option(help="At most so many trials.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds per point: 0, 1, … N-1.")] = None,
    variables: Annotated[
        list[str] | None,
        typer.Option(
            "--env",
            metavar="NAME[=VALUE]",
            help="A variable for the job, with the value it has here unless one is given; may be repeated.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The job's name on the cluster; the sweep's and a number if not given.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow/--no-follow", help="Print what the job prints until it ends.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the job as JSON; what it prints goes to standard error.")
    ] = False,
) -> None:
    """Run a sweep on a cluster as a job: what it needs is sent there, and its output is followed here."""
    from explorer.launch.parcel import sent_variables, where_runs_go
    from explorer.sweep import load_sweep

    sweep = load_sweep(source, assignments or (), trials, seeds)
    sent = sent_variables(variables or ())
    from explorer.launch.jobs import INTERRUPTED, check_job_server, follow_job, submit_sweep

    address = check_job_server(address)
    note = where_runs_go(sweep, sent)
    if note:
        typer.echo(f"note: {note}", err=True)
    job = submit_sweep(sweep, address, name or f"{sweep.name}-{secrets.token_hex(4)}", sent)
    typer.echo(f"sweep {sweep.name} is job {job.name} of {job.address}", err=True)
    code: int | None = None
    if follow:
        talk = sys.stderr if as_json else sys.stdout
        try:
            code = follow_job(job, lambda text: print(text, end="", file=talk, flush=True))
        except KeyboardInterrupt:
            typer.echo(f"\njob {job.name} goes on without us: {job.next_commands()}", err=True)
            sys.exit(INTERRUPTED)
    else:
        typer.echo(job.next_commands(), err=True)
    if as_json:
        print(json.dumps({**asdict(job), "sweep": sweep.name, "exit_code": code}, indent=2))
    sys.exit(code or 0)
