"""The driver of a sweep. With runtime, trainable, searcher and bridge beside it, the only code that knows Ray."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from explorer.launch.claims import Claims
from explorer.launch.earlier import Earlier, earlier_trials, stopper_mark, wanted_marks
from explorer.launch.features import check_features
from explorer.launch.ledger import Ledger
from explorer.launch.lock import sweep_lock
from explorer.launch.packing import Orders
from explorer.launch.places import (
    NewestCheckpoints,
    checkpoint_files,
    checkpoint_place,
    made_checkpoint_files,
    study_of,
    tracking_uri,
)
from explorer.launch.plan import Plan, make_plan
from explorer.launch.runtime import cluster_slots, ray_runtime
from explorer.launch.slots import local_slots
from explorer.results.catalogue import Catalogue
from explorer.sweep.sweep import Sweep
from explorer.tracking import Tracker
from explorer.words import counted

if TYPE_CHECKING:
    from explorer.launch.inbox import Inbox

__all__ = ["Outcome", "run_sweep"]


@dataclass(frozen=True)
class Outcome:
    """How a launch ended: counts of trials, iterations trained in all, and whether someone stopped it.

    ``bases`` are those that the sweep trains itself; they are not counted among the trials.
    """

    sweep: str
    trials: int
    finished: int
    failed: int
    reused: int
    iterations: int
    interrupted: bool
    bases: int = 0

    @property
    def unfinished(self) -> int:
        """Trials that would go on at the next launch."""
        return self.trials - self.finished - self.failed

    def sentence(self) -> str:
        """What became of it, in one line."""
        if self.interrupted:
            return (
                f"interrupted: {self.finished} of {self.trials} trials finished; "
                f"running the sweep again continues with the other {self.unfinished}"
            )
        failed = f", {self.failed} failed" if self.failed else ""
        return f"sweep {self.sweep} is complete: {counted(self.finished, 'trial')} finished{failed}"


def run_sweep(
    sweep: Sweep,
    console: Console,
    address: str | None = None,
    announce: Callable[[Plan], None] = lambda plan: None,
) -> Outcome:
    """Run a sweep to its end, or until it is interrupted; call again to go on where it stopped.

    ``announce`` hears the plan before anything is started.
    """
    with sweep_lock(sweep.name), _terminable(), Claims(sweep.name, checkpoint_place(sweep)) as claims:
        known = earlier_trials(sweep)
        plan = make_plan(sweep, known)
        # Which bases a search that learns will come to is not known yet: it claims none.
        wanted = () if sweep.search.learns else plan.bases_to_train
        if wanted:
            claims.take(
                wanted, lambda told: console.print(told, highlight=False, markup=False, soft_wrap=True)
            )
            known = earlier_trials(sweep)  # others may have trained them before they were ours
            plan = make_plan(sweep, known)
            for base in set(wanted) - set(plan.bases_to_train):
                claims.release(base)
        announce(plan)
        if not plan.left and not plan.doomed and not sweep.search.learns:
            _open(sweep, known).close_sweep(interrupted=False)  # a driver killed at the very end left it open
            over = plan.done + plan.diverged
            return Outcome(sweep.name, plan.trials, plan.done, plan.diverged, over, 0, False, plan.bases)
        if address is None:  # machines of a cluster have files of their own
            check_features(sweep, plan)
        if address is None and not plan.iterations and not sweep.search.learns:
            return _drive(sweep, console, known, plan, claims, _on_this_machine)
        # Ray listens to SIGTERM in a way of its own, so we do so again once it is there.
        with ray_runtime(address, sweep.plugins), _terminable():
            return _drive(sweep, console, known, plan, claims, _through_tune)


def _open(sweep: Sweep, known: Earlier) -> Tracker:
    """The tracker of a sweep, its parent run found or created, runs of an older layout under their names of today."""
    import yaml

    tracker = Tracker(tracking_uri(sweep), sweep.tracking.experiment)
    document = yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True)
    catalogue = Catalogue.of(sweep.plan.catalogue(), sweep.plan.methods()).to_json()
    tracker.open_sweep(sweep.name, sweep.search.objectives, sweep.description, document, catalogue)
    if known.renamed:
        tracker.rename(known.renamed, known.marks)
        checkpoint_files(sweep).rename_trials(known.renamed)
    return tracker


def _drive(
    sweep: Sweep, console: Console, known: Earlier, plan: Plan, claims: Claims, launch: _Launch
) -> Outcome:
    """Everything a launch needs but who does the work, which is ``launch``."""
    from explorer.launch.inbox import Inbox
    from explorer.launch.progress import Progress
    from explorer.launch.recorder import Recorder

    newest = NewestCheckpoints(made_checkpoint_files(sweep))
    source = sweep.source(study_of(sweep))
    ledger = Ledger(sweep, source, known, newest)

    def base_over(base: str) -> None:
        newest.forget(base)
        claims.release(base)

    ledger.bases.tell_over = base_over
    recorder = Recorder(_open(sweep, known), lambda trial: wanted_marks(sweep, ledger.config(trial).dataset))
    goals = [goal.metric for goal in sweep.search.goals()]
    with Progress(console, plan.left, plan.iterations, goals) as progress:
        interrupted = True
        try:
            launch(sweep, ledger, Inbox(ledger, recorder, progress), plan)
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
    )


_Launch = Callable[[Sweep, Ledger, "Inbox", Plan], None]


def _settings(sweep: Sweep, gpus: float) -> dict[str, Any]:
    """What every pack is told beside its trials."""
    return {
        "storage": checkpoint_place(sweep),
        "cpus": sweep.resources.cpus,
        "gpus": gpus,
        "stopper": stopper_mark(sweep),
    }


def _through_tune(sweep: Sweep, ledger: Ledger, inbox: Inbox, plan: Plan) -> None:
    """Packs as trials of Ray Tune, as many at once as the cluster carries."""
    from ray import tune
    from ray.tune import TuneError

    from explorer.launch.bridge import Bridge
    from explorer.launch.searcher import PackSearcher
    from explorer.launch.trainable import PackTrainable

    slots, gpus = cluster_slots(sweep)
    limit = slots.pack_limit(sweep, plan.left - plan.bases_left)
    base_limit = slots.pack_limit(sweep, plan.bases_left)
    # A search that learns is asked for one pack's worth of points at a time; the others for all at once.
    batch = max(1, min(limit, 16) // len(sweep.seeds)) if sweep.search.learns else ledger.points
    searcher = PackSearcher(ledger, Orders.of(sweep), batch, limit, _settings(sweep, gpus), base_limit)
    bridge = Bridge(inbox)
    with tempfile.TemporaryDirectory() as scratch:
        tuner = tune.Tuner(
            tune.with_resources(PackTrainable, {"cpu": sweep.resources.cpus, "gpu": gpus}),
            tune_config=tune.TuneConfig(search_alg=searcher, num_samples=-1, reuse_actors=True),
            run_config=tune.RunConfig(
                name=sweep.name,
                storage_path=scratch,
                callbacks=[bridge],
                failure_config=tune.FailureConfig(max_failures=sweep.resources.retries),
                checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
                verbose=0,
            ),
        )
        try:
            tuner.fit()
        except TuneError:
            if bridge.fault is not None:
                raise bridge.fault from None
            raise


def _on_this_machine(sweep: Sweep, ledger: Ledger, inbox: Inbox, plan: Plan) -> None:
    """Packs that are only read, in processes of our own."""
    from explorer.launch.local import read_packs

    slots = local_slots(sweep, reading=True)
    ledger.refill(ledger.points, slots.pack_limit(sweep, plan.left))
    packs = list(iter(ledger.next_pack, None))
    read_packs(packs, Orders.of(sweep), _settings(sweep, float(slots.gpu)), slots.count, inbox)


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM is heard like Ctrl-C in here: runs are closed, readers ended. Only a main thread can listen."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous or signal.SIG_DFL)  # None: not set from Python


def _as_interrupt(number: int, frame: Any) -> None:
    os.kill(os.getpid(), signal.SIGINT)
