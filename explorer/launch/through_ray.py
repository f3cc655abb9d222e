"""A launch through Ray: it is started, or the cluster joined, and started again where it is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.launch.addresses import joins_cluster
from explorer.launch.clock import Clock
from explorer.launch.conductor import Conductor, Limits
from explorer.launch.earlier import stopper_mark
from explorer.launch.engine.engine import Engine, EngineLost
from explorer.launch.engine.messages import Opening
from explorer.launch.interrupts import Interrupts
from explorer.launch.ledger import Ledger
from explorer.launch.marks import leave_mark
from explorer.launch.packing import Orders
from explorer.launch.places import checkpoint_place, ray_log, tracking_uri
from explorer.launch.plan import Plan
from explorer.launch.slots import Slots
from explorer.storage import local_folder
from explorer.store.connection import prepare
from explorer.sweep.sweep import Sweep

if TYPE_CHECKING:
    from explorer.launch.inbox import Inbox

__all__ = ["Launch", "pack_settings", "through_ray"]

RETURN = 60.0
"""Seconds in which Ray that was lost must be back."""

Launch = Callable[[Sweep, Ledger, "Inbox", Plan, Interrupts], str | None]
"""Works on a sweep until all is done or someone asked to stop; gives why it was ended before that, if it was."""


def pack_settings(sweep: Sweep, gpus: float) -> dict[str, Any]:
    """What every pack is told beside its trials."""
    return {
        "storage": checkpoint_place(sweep),
        "cpus": sweep.resources.cpus,
        "gpus": gpus,
        "stopper": stopper_mark(sweep),
        "measured": sweep.resources.pack is None,
        "largest_model": 0 if sweep.tracking.models == "none" else int(sweep.tracking.largest * 1e6),
    }


@contextmanager
def through_ray(
    sweep: Sweep, plan: Plan, address: str | None, check: Callable[[], None], more: Mapping[str, Any]
) -> Iterator[Launch]:
    """Packs in lanes of Ray Tune, as many at once as the cluster carries; Ray runs when the block begins.

    ``check`` may refuse the sweep: Ray is loaded meanwhile, and started after it.
    """
    folder = local_folder(checkpoint_place(sweep))
    here = None if folder is None else str(folder)
    opening = Opening(address, sweep.resources, sweep.plugins, here, max(1, len(plan.packs)))
    log = ray_log(sweep)

    def opened(before: Callable[[], None] = lambda: None) -> Engine:
        engine = Engine(log)
        try:
            before()
            engine.open(opening)
            # That takes seconds, as Ray does. A cluster may refuse us, and then nothing should have been made.
            prepare(tracking_uri(sweep), make=not joins_cluster(address))
            for _ in engine.wait():
                pass
        except BaseException:
            engine.kill()
            raise
        return engine

    def opened_again() -> Engine:
        """A cluster whose head is started again, by whoever watches over it, is back within a minute or not at all."""
        deadline = time.monotonic() + RETURN
        while True:
            try:
                return opened()
            except (EngineLost, UserError) as error:
                if time.monotonic() > deadline:
                    raise UserError(
                        f"Ray was lost and is not back: {error}; what is finished is kept, and the same command "
                        "goes on where it stopped"
                    ) from None
                time.sleep(1)

    clock = Clock()
    with clock.on("starting Ray"):
        first = _first(partial(opened, check), opened, log)

    def launch(sweep: Sweep, ledger: Ledger, inbox: Inbox, plan: Plan, interrupts: Interrupts) -> str | None:
        def refill(slots: Slots) -> int:
            flight = (sweep.search.flight() or plan.left) * len(sweep.seeds)  # trials that can run at once
            limit = slots.pack_limit(sweep, min(flight, plan.left - plan.bases_left))
            # All points that the search can give: one that learns waits for answers by itself.
            return ledger.refill(ledger.points, limit, slots.pack_limit(sweep, plan.bases_left))

        mark = "" if folder is None else leave_mark(folder)
        conductor = Conductor(
            ledger,
            inbox,
            Orders.of(sweep),
            {**pack_settings(sweep, first.gpus), "mark": mark, **more},
            Limits(sweep.resources.retries, sweep.resources.failures),
            refill,
            log,
        )
        inbox.spend(clock.taken())
        conductor.run(opened_again, first, interrupts)
        return conductor.halted

    try:
        yield launch
    finally:
        first.kill()


def _first(opened: Callable[[], Engine], again: Callable[[], Engine], log: Path) -> Engine:
    """Ray, which has a second try: what kills it while it starts is rarely there twice."""
    with suppress(EngineLost):
        return opened()
    try:
        return again()
    except EngineLost as lost:
        raise UserError(f"{lost} while it started; its own words are in {log}") from None
