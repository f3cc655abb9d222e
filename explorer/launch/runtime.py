"""The Ray runtime of a launch: embedded or a cluster, and what it offers."""

from __future__ import annotations

import logging
import os
import re
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.errors import UserError, shown
from explorer.launch.slots import Slots
from explorer.sweep.plugins import Plugin
from explorer.sweep.sweep import Sweep

__all__ = ["check_address", "check_reachable", "cluster_slots", "ray_runtime", "refusal"]

_QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",  # else Ray prints every death of a worker to standard output
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",  # a worker a core, none of which a pack ever runs in
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_AUTO_CALLBACK_SYNCER": "1",
    "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
    "TUNE_WARN_THRESHOLD_S": "1000",
}

_LEVELS = {"ray": logging.ERROR, "ray.tune": logging.CRITICAL}
"""Tune's errors are tracebacks; we say what became of every pack."""
_VARIABLE, _AUTH_MODE = "RAY_ADDRESS", "RAY_AUTH_MODE"
_NO_CLIENT = "run on a node of the cluster, with address auto or HOST:6379, not through Ray Client, got '{}'"


@contextmanager
def ray_runtime(address: str | None, plugins: Sequence[Plugin] = ()) -> Iterator[None]:
    """A Ray runtime: the one this process is in already, else the cluster at ``address``, else one of our own.

    Without ``address`` the variable RAY_ADDRESS names the cluster, as in Ray's own jobs. Where it does not, the runtime
    is ours: a cluster that happens to run on this machine, or once did, is neither joined nor waited for.
    What was there stays when the block ends, what we started or joined is left, and environment, log levels and
    warnings are as they were. Modules that lie beside the sweep file travel to the workers in Ray's runtime
    environment; in a runtime that was there already they are imported from where they lie.
    """
    with _quiet():
        import ray

        if ray.is_initialized():
            _check_joined(address)
            yield
            return
        if address is None:
            address = os.environ.get(_VARIABLE) or "local"
            check_address(address, _VARIABLE)
        check_reachable(address)
        options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
        local = [plugin.path for plugin in plugins if plugin.path is not None]
        if local:
            options["runtime_env"] = {"py_modules": local}
        with _own_token():
            try:
                if address == "local":
                    ray.init(address, include_dashboard=False, **options)
                else:
                    ray.init(address, **options)
            except (ConnectionError, ray.exceptions.AuthenticationError) as error:
                raise UserError(refusal("this machine" if address == "local" else address, error)) from error
            try:
                yield
            finally:
                ray.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Ray and Tune say nothing of their own in here: we say what becomes of every trial."""
    added = {name: value for name, value in _QUIET.items() if name not in os.environ}
    levels = {name: logging.getLogger(name).level for name in _LEVELS}
    os.environ.update(added)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="ray")
            for name, level in _LEVELS.items():
                logging.getLogger(name).setLevel(level)
            yield
    finally:
        for name in added:
            os.environ.pop(name, None)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


@contextmanager
def _own_token() -> Iterator[None]:
    """Ray's word that its runtime asks for a token ends with the runtime.

    Ray says it to the whole process, in the environment and in a copy of its own, once it has started a runtime, and
    could then work on no cluster that asks for none.
    """
    said = os.environ.get(_AUTH_MODE)
    try:
        yield
    finally:
        if said is None and os.environ.pop(_AUTH_MODE, None) is not None:
            from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

            Config.initialize("")
            AuthenticationTokenLoader.instance().reset_cache()


def _check_joined(address: str | None) -> None:
    """The runtime that this process is in can carry packs, and is the one that was asked for."""
    import ray
    from ray.util.client import ray as client

    if client.is_connected():  # type: ignore[no-untyped-call]
        raise UserError(_NO_CLIENT.format("ray://…"))
    here = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", here):
        raise UserError(
            f"this process is in the Ray runtime at '{here}' already, so it cannot join '{address}'; "
            "leave the address out, or call ray.shutdown() first"
        )


def refusal(where: str, error: BaseException) -> str:
    """Why Ray did not let us in, in one sentence.

    Ray guards a cluster with a token as soon as one exists on its head node, but sends it to an address that
    was named only if told to; what it then raises speaks of a failed connection, its cause in words only.
    """
    from ray.exceptions import AuthenticationError

    cause = error.__cause__ or error
    if isinstance(cause, AuthenticationError) or AuthenticationError.__name__ in str(cause):
        return (
            f"the Ray cluster at '{where}' asks for its token: set RAY_AUTH_MODE=token, with the token of its head "
            "node in ~/.ray/auth_token or RAY_AUTH_TOKEN (`ray get-auth-token` prints it there)"
        )
    return f"no Ray cluster answers at '{where}': {str(error).splitlines()[0]}"


def check_address(address: str, name: str = "the address") -> None:
    """Refuse what is no address of a cluster, without looking whether one is there."""
    if address.startswith("ray://"):
        raise UserError(_NO_CLIENT.format(address))
    host = r"(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])"
    named = re.fullmatch(rf"{host}:([0-9]{{1,5}})", address)
    if address not in ("auto", "local") and not (named and 0 < int(named[1]) < 1 << 16):
        raise UserError(f"{name} must be auto or HOST:PORT, such as 10.0.0.1:6379, got {shown(address)}")


def check_reachable(address: str) -> None:
    """Refuse an address where nobody listens, for which Ray itself waits for minutes."""
    check_address(address)
    found = _found(address)
    if found == "local":
        return
    host, _, port = found.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:  # the latter of names that no name server takes
        where = f"'{found}'" if found == address else f"'{found}', which {address} finds"
        raise UserError(f"no Ray cluster answers at {where}: {error}") from None


def _found(address: str) -> str:
    """The same address, but for ``auto`` the one at which Ray would look for the cluster.

    That is RAY_ADDRESS, a process on this machine, or what ``ray start`` wrote into a file, which outlives a cluster
    that was killed.
    """
    if address != "auto":
        return address
    from ray._private.services import get_ray_address_from_environment

    try:
        found = str(get_ray_address_from_environment("auto", None))
    except ConnectionError:
        raise UserError(
            "no Ray cluster runs on this machine: start one with `ray start --head`, name another as HOST:6379, "
            "or leave the address out"
        ) from None
    check_address(found, _VARIABLE if os.environ.get(_VARIABLE) else "the address found")
    return found


def cluster_slots(sweep: Sweep) -> tuple[Slots, float]:
    """What the cluster offers, and the GPUs a pack gets; refuses what could never be scheduled."""
    import ray

    have: dict[str, float] = ray.cluster_resources()
    cpus, gpus = float(have.get("CPU", 0)), float(have.get("GPU", 0))
    want = sweep.resources
    per_pack = want.gpus if want.gpus is not None else (1.0 if gpus else 0.0)
    if want.cpus > cpus or per_pack > gpus:
        raise UserError(
            f"a pack asks for {want.cpus:g} CPUs and {per_pack:g} GPUs, the cluster has {cpus:g} and {gpus:g}; "
            "lower resources.cpus or resources.gpus"
        )
    count = cpus / want.cpus if not per_pack else min(cpus / want.cpus, gpus / per_pack)
    return Slots(max(1, int(count)), gpu=per_pack > 0), per_pack
