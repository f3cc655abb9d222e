"""Sweeps as jobs of a running cluster: sent to the job server of its head node, followed until they end."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, brief, root_cause, shown
from explorer.launch.parcel import SWEEP_FILE, pack
from explorer.sweep.sweep import Sweep

if TYPE_CHECKING:
    from ray.job_submission import JobSubmissionClient

__all__ = ["ENTRYPOINT", "INTERRUPTED", "Job", "check_job_server", "follow_job", "submit_sweep"]

ENTRYPOINT = f"python -m explorer sweep {SWEEP_FILE} --address auto"
"""What the head node runs: packs go through Ray, also those that are only read; RAY_ADDRESS is set in its jobs."""

OLDEST = (2, 60)
"""Ray that this package needs, on a cluster as here."""

STOPPING = {"RAY_JOB_STOP_SIGNAL": "SIGINT", "RAY_JOB_STOP_WAIT_TIME_S": "60"}
"""A job that is stopped is interrupted and closes its runs; Ray's own way is to kill it after three seconds."""

INTERRUPTED = 130
_OVERRIDES = ("RAY_ADDRESS", "RAY_API_SERVER_ADDRESS")
_PATIENCE = (10.0, 30.0)
"""Seconds for a connection, and for an answer."""
_YOUNG = 60.0
"""Seconds in which a head that has just begun gets what it takes to run jobs."""


@dataclass(frozen=True)
class Job:
    """A sweep that was sent: the job's name, and the address of the server that has it."""

    name: str
    address: str

    def next_commands(self) -> str:
        """How to go on with it from a shell."""
        at = f"{self.name} --address {self.address}"
        return f"`ray job logs --follow {at}` follows it, `ray job stop {at}` stops it"


def check_job_server(address: str) -> str:
    """The address without a slash at its end, where a job server answers that would take our jobs.

    Ray's own client waits without end for a server that does not answer, and takes other servers for its own.
    """
    import requests

    address = address.rstrip("/")
    if not re.fullmatch(r"https?://[^/?#@\s]+", address):
        raise UserError(
            f"the address must be http://HOST:8265, where the dashboard of the cluster is, got {shown(address)}"
        )
    try:
        answer = requests.get(f"{address}/api/version", headers=_token(), timeout=_PATIENCE)
    except (requests.exceptions.RequestException, ValueError) as error:
        raise UserError(
            f"no Ray job server answers at {shown(address)} ({_why(error)}); it is where the dashboard is, "
            "usually port 8265 of the head node"
        ) from None
    if answer.status_code in (401, 403):
        raise UserError(_token_refusal(address, answer.status_code))
    try:
        version = str(answer.json()["ray_version"])
        parts = tuple(int(part) for part in version.split(".")[:2])
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"what answers at {shown(address)} is no Ray job server (status {answer.status_code}); it is where the "
            "dashboard is, usually port 8265 of the head node"
        ) from None
    if parts < OLDEST:
        raise UserError(
            f"the cluster at {shown(address)} runs Ray {brief(version)}, sweeps need {OLDEST[0]}.{OLDEST[1]} or newer; "
            "update the cluster"
        )
    return address


def submit_sweep(sweep: Sweep, address: str, name: str, variables: Mapping[str, str]) -> Job:
    """Send a sweep to a job server that was looked at; it begins at once, and does not wait to be followed."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", name):
        raise UserError(f"a job's name is letters, digits, '.', '_' or '-', got {shown(name)}")
    with TemporaryDirectory() as folder, _client(address) as client:
        pack(sweep, Path(folder))
        environment: dict[str, Any] = {"working_dir": folder, "env_vars": {**STOPPING, **variables}}
        try:
            _once_ready(
                lambda: client.submit_job(
                    entrypoint=ENTRYPOINT,
                    submission_id=name,
                    runtime_env=environment,
                    metadata={"tradeoff.sweep": sweep.name},
                )
            )
        except (RuntimeError, ValueError, OSError) as error:
            if "already exists" in str(error):
                raise UserError(f"the cluster has a job '{name}' already; choose another --name") from None
            raise UserError(f"the cluster at {shown(address)} did not take the job: {_why(error)}") from error
    return Job(name, address)


def _once_ready(submit: Callable[[], object]) -> None:
    """Submit a job; a head that began a moment ago says that it has no agent yet, and is asked again."""
    until = time.monotonic() + _YOUNG
    while True:
        try:
            submit()
            return
        except RuntimeError as error:
            if "No available agent" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(1.0)


def follow_job(job: Job, write: Callable[[str], None]) -> int:
    """Write what the job prints until it ends; its exit code, ``INTERRUPTED`` where someone stopped it.

    A link that breaks is taken up again, and nothing is written twice.
    """
    from aiohttp import ClientError

    written, missed = 0, 0
    with _client(job.address) as client:
        while True:
            try:
                before, written = written, _run(_tail(client, job.name, written, write))
                details = client.get_job_info(job.name)
            except (RuntimeError, OSError, ClientError) as error:  # requests' errors are OSErrors
                missed += 1
                if missed > 5:
                    raise UserError(
                        f"job '{job.name}' cannot be followed any longer: {_why(error)}; {job.next_commands()}"
                    ) from error
                time.sleep(missed)
                continue
            missed = 0
            if details.status.is_terminal() and written == before:
                return _exit_code(job, details)
            time.sleep(0.3)


def _run(work: Coroutine[Any, Any, int]) -> int:
    """Run it to its end; in a thread where this one has a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _tail(client: JobSubmissionClient, name: str, written: int, write: Callable[[str], None]) -> int:
    """Characters of the log that are written now; Ray sends it from its beginning each time."""
    seen = 0
    async for text in client.tail_job_logs(name):
        fresh = text[max(0, written - seen) :]
        seen += len(text)
        if fresh:
            write(fresh)
            written += len(fresh)
    return written


def _exit_code(job: Job, details: Any) -> int:
    status, code = str(details.status.value), details.driver_exit_code
    if status == "STOPPED":
        return INTERRUPTED
    if code is None:  # it never began: the environment could not be made, or the head node died
        raise UserError(f"job '{job.name}' did not run: {brief(details.message or status, 300)}")
    return int(code)


@contextmanager
def _client(address: str) -> Iterator[JobSubmissionClient]:
    """Ray's client for the server at this address: variables that name another do not count, and it says nothing."""
    hidden = {name: os.environ.pop(name) for name in _OVERRIDES if name in os.environ}
    levels = {name: logging.getLogger(name).level for name in ("ray", *_CHATTY)}
    try:
        from ray.exceptions import AuthenticationError
        from ray.job_submission import JobSubmissionClient

        for name in levels:
            logging.getLogger(name).setLevel(logging.ERROR)
        try:
            yield JobSubmissionClient(address)
        except AuthenticationError as error:
            raise UserError(_token_refusal(address, 401 if "required" in str(error) else 403)) from error
        except ConnectionError as error:
            raise UserError(f"no Ray job server answers at {shown(address)}: {_why(error)}") from error
    finally:
        os.environ.update(hidden)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


_CHATTY = ("ray.dashboard.modules.dashboard_sdk", "ray.dashboard.modules.job.sdk")
"""Set to speak when they are imported."""


def _token() -> dict[str, str]:
    """The header with the token, if RAY_AUTH_MODE asks for it."""
    from ray._private.authentication.http_token_authentication import get_auth_headers_if_auth_enabled

    logging.getLogger("ray").setLevel(logging.ERROR)
    headers: dict[str, str] = get_auth_headers_if_auth_enabled({})
    return headers


def _token_refusal(address: str, status: int) -> str:
    where = f"the cluster at {shown(address)}"
    if status == 403:
        return (
            f"{where} refuses our token: put that of its head node into RAY_AUTH_TOKEN or ~/.ray/auth_token"
        )
    return (
        f"{where} asks for its token: set RAY_AUTH_MODE=token, with the token of its head node in ~/.ray/auth_token or "
        "RAY_AUTH_TOKEN (`ray get-auth-token` prints it there)"
    )


def _why(error: BaseException) -> str:
    """The core of what network libraries say, which wrap each other's words."""
    text = root_cause(error, 200)
    if "\\x" in text or "BadStatusLine" in str(error):  # bytes of another protocol
        return "what is there speaks no HTTP"
    said = re.search(r"Errno -?\d+\] ([^'\")]+)", text)
    return brief(said[1] if said else text, 120)
