"""The Ray runtime of a launch: embedded or a cluster, and what it offers."""

from __future__ import annotations

import logging
import os
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from explorer.errors import UserError
from explorer.launch.addresses import chosen
from explorer.launch.slots import Slots
from explorer.sweep.plugins import Plugin
from explorer.sweep.resources import ResourceSpec

__all__ = ["LOST", "cluster_slots", "load_ray", "ray_runtime", "refusal"]

_QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",  # else Ray prints every death of a worker to standard output
    "RAY_ENABLE_AUTO_CONNECT": "0",  # else a call after the runtime was left joins or starts another
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_gcs_rpc_server_reconnect_timeout_s": "30",  # a head that is away for longer is lost; Ray itself waits a minute
    "RAY_prestart_worker_first_driver": "0",  # a worker a core, none of which a pack ever runs in
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_AUTO_CALLBACK_SYNCER": "1",
    "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
    "TUNE_MAX_PENDING_TRIALS_PG": "64",  # lanes that start at once; else Tune waits for one before it starts the next
    "TUNE_WARN_THRESHOLD_S": "1000",
}

_LEVELS = {"ray": logging.ERROR, "ray.tune": logging.CRITICAL}
"""Tune's errors are tracebacks; we say what became of every pack."""
_VITAL = ("gcs_server", "raylet")
_LOOK_EVERY = 0.5
LOST = 3
"""Exit code of a process whose own Ray died."""


def load_ray() -> None:
    """Import Ray, with its settings in place."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import ray  # noqa: F401

    warnings.filterwarnings("ignore", category=FutureWarning, module="ray")
    for name, level in _LEVELS.items():
        logging.getLogger(name).setLevel(level)


@contextmanager
def ray_runtime(address: str | None, plugins: Sequence[Plugin] = ()) -> Iterator[None]:
    """A Ray runtime for this process, which is there for nothing else: the cluster at ``address``, else one of our own.

    Without ``address`` the variable RAY_ADDRESS names the cluster, as in Ray's own jobs. Where it does not, the runtime
    is ours: a cluster that happens to run on this machine, or once did, is neither joined nor waited for. Modules that
    lie beside the sweep file travel to the workers in Ray's runtime environment.
    """
    load_ray()
    import ray

    address = chosen(address)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    local = [plugin.path for plugin in plugins if plugin.path is not None]
    if local:
        options["runtime_env"] = {"py_modules": local}
    if address == "local":
        options["include_dashboard"] = False
    try:
        ray.init(address, **options)
    except (ConnectionError, ray.exceptions.AuthenticationError) as error:
        raise UserError(refusal("this machine" if address == "local" else address, error)) from error
    _watch_own()
    try:
        yield
    finally:
        ray.shutdown()


def _watch_own() -> None:
    """End this process soon after a process of a runtime of its own: what is left would wait for it for minutes."""
    from ray._private.worker import _global_node

    own = [] if _global_node is None else _global_node.all_processes.items()
    vital = [info.process for kind, infos in own if kind in _VITAL for info in infos]

    def watch() -> None:
        while all(process.poll() is None for process in vital):
            time.sleep(_LOOK_EVERY)
        if ray_is_up():
            os._exit(LOST)

    if vital:
        threading.Thread(target=watch, name="watch", daemon=True).start()


def ray_is_up() -> bool:
    """Whether this process is still in its runtime, and did not just leave it."""
    import ray

    return bool(ray.is_initialized())


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


def cluster_slots(want: ResourceSpec, gpus: float | None = None) -> tuple[Slots, float]:
    """What the cluster offers now, and the cards a pack gets; refuses what could never be scheduled.

    ``gpus``: what a pack gets, where that was found before: then nothing is refused, nodes may come back.
    """
    import ray

    have: dict[str, float] = ray.cluster_resources()
    cpus, cards = float(have.get("CPU", 0)), float(have.get("GPU", 0))
    per_pack = next((part for part in (gpus, want.gpus) if part is not None), 1.0 if cards else 0.0)
    if gpus is None and (want.cpus > cpus or per_pack > cards):
        raise UserError(
            f"a pack asks for {want.cpus:g} CPUs and {per_pack:g} GPUs, the cluster has {cpus:g} and {cards:g}; "
            "lower resources.cpus or resources.gpus"
        )
    count = cpus / want.cpus if not per_pack else min(cpus / want.cpus, cards / per_pack)
    return Slots(max(1, int(count)), gpu=per_pack > 0), per_pack
