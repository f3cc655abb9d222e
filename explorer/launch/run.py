"""The driver of a sweep. With the trainable, searcher and bridge beside it, the only code that knows Ray."""

from __future__ import annotations

import logging
import os
import signal
import socket
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from explorer.errors import UserError
from explorer.launch.ledger import Ledger
from explorer.launch.lock import sweep_lock
from explorer.launch.plan import (
    Plan,
    Slots,
    checkpoint_folder,
    make_plan,
    make_source,
    newest_checkpoint,
    settled_trials,
    tracking_uri,
)
from explorer.sweep.sweep import Sweep
from explorer.tracking import Tracker

__all__ = ["Outcome", "run_sweep"]

_QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_AUTO_CALLBACK_SYNCER": "1",
    "TUNE_GLOBAL_CHECKPOINT_S": "1000000",
    "TUNE_WARN_THRESHOLD_S": "1000",
}


@dataclass(frozen=True)
class Outcome:
    """How a launch ended: counts of trials, and whether someone stopped it."""

    sweep: str
    trials: int
    finished: int
    failed: int
    reused: int
    interrupted: bool

    @property
    def unfinished(self) -> int:
        """Trials that would go on at the next launch."""
        return self.trials - self.finished - self.failed


def run_sweep(sweep: Sweep, console: Console, address: str | None = None) -> Outcome:
    """Run a sweep to its end, or until it is interrupted; call again to go on where it stopped."""
    with sweep_lock(sweep.name):
        settled = settled_trials(sweep)
        plan = make_plan(sweep, settled)
        over = plan.done + plan.diverged
        if over == plan.trials and sweep.search.name in ("grid", "random"):
            _open(sweep).close_sweep(interrupted=False)  # a driver killed at the very end left it open
            return Outcome(sweep.name, plan.trials, plan.done, plan.diverged, over, False)
        with _ray(address):
            return _drive(sweep, console, settled, plan)


@contextmanager
def _ray(address: str | None) -> Iterator[None]:
    """A Ray runtime: the cluster at ``address``, else one of our own that ends with us."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", category=FutureWarning, module="ray")
    if address is not None:
        _check_reachable(address)
    import ray

    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address is None:
            ray.init(include_dashboard=False, **options)
        else:
            ray.init(address=address, **options)
    except ConnectionError as error:
        where = address or "this machine"
        raise UserError(f"no Ray cluster answers at '{where}': {str(error).splitlines()[0]}") from error
    logging.getLogger("ray").setLevel(logging.ERROR)
    previous = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Ray itself waits for minutes on an address where nobody listens."""
    if address.startswith("ray://"):
        raise UserError(
            f"run on a node of the cluster, with --address auto or HOST:6379, not through Ray Client, got '{address}'"
        )
    host, separator, port = address.rpartition(":")
    if not separator:
        return  # auto, local: Ray answers at once
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise UserError(f"no Ray cluster answers at '{address}': {error}") from None


def _as_interrupt(number: int, frame: Any) -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _slots(sweep: Sweep) -> tuple[Slots, float]:
    """What the cluster offers, and the GPUs a pack gets; refuses what could never be scheduled."""
    import ray

    have: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
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


def _open(sweep: Sweep) -> Tracker:
    """The tracker of a sweep, its parent run found or created."""
    import yaml

    tracker = Tracker(tracking_uri(sweep), sweep.tracking.experiment)
    document = yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True)
    tracker.open_sweep(sweep.name, sweep.search.objectives, sweep.description, document)
    return tracker


def _drive(sweep: Sweep, console: Console, settled: Any, plan: Plan) -> Outcome:
    from ray import tune

    from explorer.launch.bridge import Bridge
    from explorer.launch.progress import Progress
    from explorer.launch.recorder import Recorder
    from explorer.launch.searcher import PackSearcher
    from explorer.launch.trainable import PackTrainable

    slots, gpus = _slots(sweep)
    source = make_source(sweep, launching=True)
    storage = checkpoint_folder(sweep)
    ledger = Ledger(sweep, source, settled, newest_checkpoint(storage))
    recorder = Recorder(_open(sweep))
    waiting = plan.trials - plan.done - plan.diverged
    limit = slots.pack_limit(sweep, waiting)
    settings = {"storage": str(storage), "cpus": sweep.resources.cpus, "gpus": gpus}
    # A search that learns is asked for one pack's worth of points at a time; the others for all at once.
    batch = max(1, min(limit, 16) // len(sweep.seeds)) if source.adaptive else source.total
    searcher = PackSearcher(ledger, batch, limit, settings)
    with Progress(console, waiting, plan.iterations) as progress, tempfile.TemporaryDirectory() as scratch:
        tuner = tune.Tuner(
            tune.with_resources(PackTrainable, {"cpu": sweep.resources.cpus, "gpu": gpus}),
            tune_config=tune.TuneConfig(search_alg=searcher, num_samples=-1, reuse_actors=True),
            run_config=tune.RunConfig(
                name=sweep.name,
                storage_path=scratch,
                callbacks=[Bridge(ledger, recorder, progress)],
                failure_config=tune.FailureConfig(max_failures=sweep.resources.retries),
                checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
                verbose=0,
            ),
        )
        interrupted = True
        try:
            tuner.fit()
            interrupted = bool(ledger.unsettled())
        except KeyboardInterrupt:
            pass
        finally:
            recorder.close(interrupted)
    failed = sum(1 for t in ledger.planned if t in ledger.settled and not ledger.settled[t].metrics)
    return Outcome(
        sweep=sweep.name,
        trials=len(ledger.planned),
        finished=len(ledger.planned) - failed - len(ledger.unsettled()),
        failed=failed,
        reused=len(ledger.reused),
        interrupted=interrupted,
    )
