"""The process in which Ray runs, beside the driver of a sweep.

Ray ends whoever uses it when its own processes die. So the driver, with the books and the tracking store, is not that
process; it starts this one, and starts another when this one is lost. Ray's own talk goes where the driver sends it.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from explorer.errors import UserError
from explorer.launch.engine.messages import (
    Alive,
    Close,
    Decide,
    Event,
    Lost,
    Opening,
    Put,
    Ready,
    Refused,
    Request,
    Stop,
)
from explorer.launch.faults import death_of

__all__ = ["main"]

SIGN_EVERY = 1.0
POLL = 5.0
"""Seconds between signs of life, and the longest a look for events waits."""
GUARD_EVERY = 200
"""Milliseconds between looks whether this process is still there."""


def main() -> None:
    """Serve the driver at the other end of the pipe whose number is the first argument; Tune writes into the second."""
    pipe, scratch = int(sys.argv[1]), sys.argv[2]
    _guard(pipe, scratch)
    link = Connection(pipe)
    _no_mlflow()
    from explorer.launch.engine.runtime import cluster_slots, load_ray, ray_runtime

    load_ray()  # which takes seconds; the driver may not be ready either
    import explorer.launch.engine.tuning  # noqa: F401

    try:
        opening: Opening = link.recv()
    except EOFError:
        return  # nothing was to be done after all
    try:
        with ray_runtime(opening.address, opening.plugins):
            slots, gpus = cluster_slots(opening.resources)
            link.send(Ready(slots, gpus))
            _serve(link, opening, gpus, scratch)
    except UserError as error:
        link.send(Refused(str(error)))


def _guard(pipe: int, scratch: str) -> None:
    """A process that ends all of us, Ray's own processes too, once the driver is gone or this process is.

    It has to be one of its own: while Ray starts, or waits for what is dead, no other thread of this process runs.
    What Tune wrote into ``scratch`` goes as well: the driver that would take it away may be dead.
    """
    room = os.getpid()
    if os.fork():
        return
    end = select.poll()
    end.register(pipe, 0)  # for nothing but that the other end is closed
    while os.getppid() == room and not end.poll(GUARD_EVERY):
        pass
    shutil.rmtree(scratch, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def _no_mlflow() -> None:
    """Tune imports it, for seconds, only to count who logs there; runs are written by the driver."""
    missing: dict[str, Any] = {"mlflow": None}
    sys.modules.update(missing)


def _serve(link: Connection, opening: Opening, gpus: float, scratch: str) -> None:
    """Keep lanes at work until the driver has nothing more to do; the driver's own end is ours."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from explorer.launch.engine.exchange import NAME, Exchange
    from explorer.launch.engine.tuning import Tuning

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    options = {"name": NAME, "num_cpus": 0, "scheduling_strategy": here, "max_concurrency": 1000}
    exchange = ray.remote(Exchange).options(**options).remote(opening.storage)
    speak = _Speaker(link)
    tuning = Tuning(opening.resources, gpus, speak, opening.packs)
    threading.Thread(target=_watch, args=(exchange, speak), name="events", daemon=True).start()
    threading.Thread(target=_listen, args=(link, exchange, tuning), name="requests", daemon=True).start()
    tuning.run(scratch)
    for event in ray.get(exchange.take.remote(0.0)):
        speak(event)


class _Speaker:
    """Says events to the driver, from whichever thread."""

    def __init__(self, link: Connection) -> None:
        self._link = link
        self._lock = threading.Lock()
        self._last = 0.0

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._link.send(event)
            self._last = time.monotonic()

    def sign(self) -> None:
        """Now and then, that we live."""
        if time.monotonic() - self._last > SIGN_EVERY:
            self(Alive())


def _listen(link: Connection, exchange: Any, tuning: Any) -> None:
    """Hand requests on, until there is nothing more to do, which ends this process at once.

    Lanes are idle then, and Tune would take seconds to find that out. Those of a cluster that was joined end with our
    job, which ends with us; a Ray of our own is ended by our guard. Ray is not shut down before: the other threads
    still use it, and whoever does so afterwards ends the process as failed.
    """
    handlers: dict[type[Request], Callable[[Any], Any]] = {
        Put: lambda one: exchange.put.remote(one),
        Decide: lambda one: exchange.decide.remote(one.pack, one.verdict),
        Stop: lambda one: exchange.stop.remote(),
    }
    try:
        while True:
            request: Request = link.recv()
            if isinstance(request, Close):
                os._exit(0)
            tuning.heard(request)
            handlers[type(request)](request)
    except (EOFError, OSError):
        return  # without a driver there is nobody to work for, and the guard ends us


def _watch(exchange: Any, speak: _Speaker) -> None:
    """Hand events on."""
    import ray

    try:
        while True:
            for event in ray.get(exchange.take.remote(POLL)):
                speak(event)
    except OSError:
        return  # the driver is gone, and ends this process
    except ray.exceptions.RayError as error:
        if ray.is_initialized():  # else all is over
            speak(Lost(death_of(error)))


if __name__ == "__main__":
    main()
