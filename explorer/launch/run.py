"""The driver of a sweep: what there is to do, who does it, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console

from explorer.launch.claims import Claims
from explorer.launch.earlier import Earlier, earlier_trials, stopper_mark, wanted_marks
from explorer.launch.engine.engine import joined_address
from explorer.launch.features import check_features
from explorer.launch.interrupts import Interrupts
from explorer.launch.kept_text import KeptText
from explorer.launch.ledger import Ledger
from explorer.launch.lock import sweep_lock
from explorer.launch.packing import Orders
from explorer.launch.papers import papers
from explorer.launch.places import (
    NewestCheckpoints,
    checkpoint_files,
    checkpoint_place,
    made_checkpoint_files,
    memo_of,
    opened_spool,
    tracking_uri,
)
from explorer.launch.plan import Plan, check_networks, sketch_plan
from explorer.launch.rungs import Rungs
from explorer.launch.slots import local_slots
from explorer.launch.through_ray import Launch, pack_settings, through_ray
from explorer.launch.warm_start import earlier_points
from explorer.store.addresses import sqlite_file
from explorer.store.connection import TrackingUnavailable
from explorer.store.database import told_if_new
from explorer.store.schema import CATALOGUE_FILE, SWEEP_FILE
from explorer.sweep.sweep import Sweep
from explorer.tracking import Drain, Lease, Spool, Summary, Tracker
from explorer.words import counted

if TYPE_CHECKING:
    from explorer.launch.inbox import Inbox
    from explorer.launch.pack_work import PackWork
    from explorer.launch.progress import Style

__all__ = ["Outcome", "run_sweep"]


@dataclass(frozen=True)
class Outcome:
    """How a launch ended: counts of trials, iterations trained in all, and whether someone stopped it.

    ``bases`` are those that the sweep trains itself; they are not counted among the trials. ``halted``: why the sweep
    ended itself before all was done; ``enough``: why its stopper let no further trials begin; ``note``: why
    the search gave fewer than were asked for. ``spent``: seconds by what they went into, over all lanes.
    """

    sweep: str
    trials: int
    finished: int
    failed: int
    reused: int
    iterations: int
    interrupted: bool
    bases: int = 0
    halted: str | None = None
    enough: str | None = None
    note: str = ""
    spent: Mapping[str, float] = field(default_factory=dict)

    @property
    def unfinished(self) -> int:
        """Trials that would go on at the next launch."""
        return self.trials - self.finished - self.failed

    def sentence(self) -> str:
        """What became of it, in one line."""
        if self.halted is not None:
            return (
                f"stopped: {self.halted}; {self.finished} of {self.trials} trials finished, running the sweep again "
                "continues with the others"
            )
        if self.interrupted:
            return (
                f"interrupted: {self.finished} of {self.trials} trials finished; "
                f"running the sweep again continues with the other {self.unfinished}"
            )
        failed = f", {self.failed} failed" if self.failed else ""
        enough = f"; no further ones began, since {self.enough}" if self.enough else ""
        note = f"; {self.note}" if self.note else ""
        return f"sweep {self.sweep} is complete: {counted(self.finished, 'trial')} finished{failed}{enough}{note}"


def run_sweep(
    sweep: Sweep,
    console: Console,
    address: str | None = None,
    announce: Callable[[Plan], None] = lambda plan: None,
    style: Style = "auto",
    work: type[PackWork] | None = None,
) -> Outcome:
    """Run a sweep to its end, or until it is interrupted; call again to go on where it stopped.

    ``announce`` hears the plan before anything is started; ``style`` is that of the progress shown on ``console``.
    ``work``: who works on packs, if not ``PackWork``: what the engine itself takes can be measured with another.
    """
    address = joined_address(address)

    def tell(told: str) -> None:
        console.print(told, highlight=False, markup=False, soft_wrap=True)

    file = sqlite_file(tracking_uri(sweep))
    if file is not None and (told := told_if_new(file)) is not None:
        tell(told)
    with (
        sweep_lock(sweep.name),
        Lease(tracking_uri(sweep), sweep.tracking.experiment, sweep.name, tell) as lease,
        Claims(sweep.name, checkpoint_place(sweep)) as claims,
        opened_spool(sweep, tell) as spool,
    ):
        unsent = _send_leftovers(sweep, lease, spool, tell)
        known = earlier_trials(sweep)
        plan = sketch_plan(sweep, known)
        # Where nothing is to be written nobody has to hold anything, and MLflow is not loaded.
        if not (known.closed and _is_over(plan)) and lease.take_known():
            known = earlier_trials(sweep)  # another driver may have gone on with it before it was ours
            plan = sketch_plan(sweep, known)
        # Which bases a search that learns will come to is not known yet: it claims none.
        wanted = () if sweep.search.learns else plan.bases_to_train
        if wanted:
            claims.take(wanted, tell)
            known = earlier_trials(sweep)  # others may have trained them before they were ours
            plan = sketch_plan(sweep, known)
            for base in set(wanted) - set(plan.bases_to_train):
                claims.release(base)
        if _is_over(plan):
            announce(plan)
            if not known.closed:  # a driver killed at the very end left it open
                _close(sweep, _open(sweep, known, lease), tell)
            if unsent is not None:  # and nothing will try again
                raise unsent
            over = plan.done + plan.diverged
            return Outcome(sweep.name, plan.trials, plan.done, plan.diverged, over, 0, False, plan.bases)

        def check_and_announce() -> None:
            check_networks(plan)
            announce(plan)
            if address is None:  # machines of a cluster have files of their own
                check_features(sweep, plan)

        if address is None and not plan.iterations and not sweep.search.learns:
            check_and_announce()
            return _drive(sweep, console, known, plan, claims, lease, spool, _on_this_machine, style)
        more = {} if work is None else {"work": work}
        with through_ray(sweep, plan, address, check_and_announce, more) as launch:
            return _drive(sweep, console, known, plan, claims, lease, spool, launch, style)


def _send_leftovers(
    sweep: Sweep, lease: Lease, spool: Spool, tell: Callable[[str], None]
) -> TrackingUnavailable | None:
    """Store what the last launch could not; what to say of what cannot be stored now either."""
    if not len(spool):
        return None
    tell(f"storing {counted(len(spool), 'result')} that the last launch could not send")
    drain = Drain(_open(sweep, Earlier(), lease), spool, tell)
    drain.leftovers()
    return drain.unsent()


def _is_over(plan: Plan) -> bool:
    return not plan.left and not plan.doomed


def _open(sweep: Sweep, known: Earlier, lease: Lease) -> Tracker:
    """The tracker of a sweep, its parent run found or created, runs of an older layout under their names of today."""
    tracker = Tracker(tracking_uri(sweep), sweep.tracking.experiment, lease=lease)
    kept = papers(sweep)
    tracker.open_sweep(
        sweep.name, sweep.search.objectives, sweep.description, kept[SWEEP_FILE], kept[CATALOGUE_FILE]
    )
    if known.renamed:
        tracker.rename(known.renamed, known.marks)
        checkpoint_files(sweep).rename_trials(known.renamed)
    return tracker


def _close(sweep: Sweep, tracker: Tracker, tell: Callable[[str], None]) -> None:
    """Nothing is left to do."""
    from explorer.portrait.summary import stored_summary

    found = stored_summary(tracking_uri(sweep), sweep.tracking.experiment, sweep.name, tell)
    if found is not None:
        tracker.summarise(found)
    tracker.close_sweep(interrupted=False)


def _drive(
    sweep: Sweep,
    console: Console,
    known: Earlier,
    plan: Plan,
    claims: Claims,
    lease: Lease,
    spool: Spool,
    launch: Launch,
    style: Style,
) -> Outcome:
    """Everything a launch needs but who does the work, which is ``launch``."""
    from explorer.launch.inbox import Inbox
    from explorer.launch.kept_models import KeptModels
    from explorer.launch.portraits import Portraits
    from explorer.launch.progress import Progress
    from explorer.launch.recorder import Recorder
    from explorer.portrait.summary import stored_summary

    files = made_checkpoint_files(sweep)
    newest = NewestCheckpoints(files)
    source = sweep.source(memo_of(sweep), earlier_points(sweep))
    search, uri = sweep.search, tracking_uri(sweep)
    notes = KeptText(files.document(f"{sweep.name}-rungs-{stopper_mark(sweep)}"))
    rungs = Rungs(sweep.stopping, search.goals(), search.flight(), notes, search.bounds())
    ledger = Ledger(sweep, source, known, newest, rungs)
    ledger.tell_moved = newest.forget

    def base_over(base: str) -> None:
        newest.forget(base)
        claims.release(base)

    ledger.bases.tell_over = base_over
    tracker = _open(sweep, known, lease)
    portraits = Portraits(sweep, papers(sweep)[SWEEP_FILE])
    tracker.summarise(portraits.whole())
    models = KeptModels(
        files, sweep.tracking.models, search.goals(), (one.metrics for one in known.settled.values())
    )
    with Progress(console, plan.left, plan.iterations, sweep.search.goals(), style) as progress:

        def summed() -> Summary | None:
            found = stored_summary(uri, sweep.tracking.experiment, sweep.name, progress.say)
            return None if found is None else found._replace(tags={**found.tags, **portraits.places()})

        recorder = Recorder(
            tracker,
            spool,
            lambda trial: wanted_marks(sweep, ledger.config(trial).dataset),
            progress.say,
            sweep.tracking.patience,
            summed,
            models.of,
            models.prepare,
            lambda: {
                trial: portraits.name(ledger.config(trial)) for trial in (*ledger.planned, *ledger.bases)
            },
        )
        interrupted, halted = True, None
        try:
            with Interrupts(lambda: progress.say(SAVING)) as interrupts:
                halted = launch(sweep, ledger, Inbox(ledger, recorder, progress, portraits), plan, interrupts)
            interrupted = bool(ledger.unsettled())
        except KeyboardInterrupt:
            pass
        finally:
            recorder.close(interrupted)
    failed = sum(1 for t in ledger.planned if t in ledger.settled and not ledger.settled[t].metrics)
    return Outcome(
        sweep=sweep.name,
        trials=len(ledger.planned),
        finished=len(ledger.planned) - failed - len(ledger.unsettled(bases=False)),
        failed=failed,
        reused=len(ledger.reused),
        iterations=progress.iterations,
        interrupted=interrupted,
        bases=len(ledger.bases),
        halted=halted,
        enough=ledger.close_if_enough(),
        note=ledger.note,
        spent={**progress.clock.rounded(), **recorder.spent},
    )


SAVING = "stopping: trials are saved where they are; Ctrl-C again stops at once"


def _on_this_machine(sweep: Sweep, ledger: Ledger, inbox: Inbox, plan: Plan, interrupts: Interrupts) -> None:
    """Packs that are only read, in processes of our own."""
    from explorer.launch.local import read_packs

    slots = local_slots(sweep, reading=True)
    ledger.refill(ledger.points, slots.pack_limit(sweep, plan.left))
    packs = list(iter(ledger.next_pack, None))
    read_packs(
        packs, Orders.of(sweep), pack_settings(sweep, float(slots.gpu)), slots.count, inbox, interrupts
    )
