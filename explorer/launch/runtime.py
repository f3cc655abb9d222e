"""The Ray runtime of a launch: embedded or a cluster, and what it offers."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.errors import UserError
from explorer.launch.addresses import NO_CLIENT, chosen
from explorer.launch.slots import Slots
from explorer.sweep.plugins import Plugin
from explorer.sweep.sweep import Sweep

__all__ = ["cluster_slots", "ray_runtime", "refusal"]

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
_AUTH_MODE = "RAY_AUTH_MODE"
_LEFT = "PYTHONBREAKPOINT"
"""What Ray sets in its drivers, and leaves."""


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
        address = chosen(address)
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
    left = () if _LEFT in os.environ else (_LEFT,)
    levels = {name: logging.getLogger(name).level for name in _LEVELS}
    os.environ.update(added)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="ray")
            for name, level in _LEVELS.items():
                logging.getLogger(name).setLevel(level)
            yield
    finally:
        for name in (*added, *left):
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
        raise UserError(NO_CLIENT.format("ray://…"))
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
