"""What becomes of the results of packs, however they come in: the books, the tracking store, the display."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from explorer.launch.faults import Death
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.portraits import Portraits
from explorer.launch.progress import Progress
from explorer.launch.provenance import Origin
from explorer.launch.recorder import Recorder
from explorer.store.schema import DATA
from explorer.tracking import TrialRun
from explorer.tracking.entries import Data
from trainables.evaluation.reading import Evaluation
from trainables.faults import Fault

__all__ = ["Inbox"]

_NOTHING = pickle.dumps({})


class Inbox:
    """Results of packs become results of trials. A pack has a name of its sender's choosing.

    Attributes:
        failures: trials that failed in this launch.
    """

    def __init__(
        self, ledger: Ledger, recorder: Recorder, progress: Progress, portraits: Portraits | None = None
    ) -> None:
        """``portraits``: what runs say of their trials beside parameters, if they say anything."""
        self._ledger = ledger
        self._recorder = recorder
        self._progress = progress
        self._portraits = portraits
        self._packs: dict[str, Pack] = {}
        self._measured: dict[str, Mapping[str, float]] = {}
        self.failures = 0
        ledger.tell_doomed = self._doom

    def begin(self, name: str, pack: Pack) -> None:
        """A pack begins: its runs are opened."""
        self._packs[name] = pack
        self._recorder.start(
            [self._run(trial) for trial in pack.trials],
            {t.id for t in pack.trials if t.final and not t.remaining},
        )
        self._progress.started(name, pack)

    def take(self, name: str, result: dict[str, Any]) -> None:
        """A stride, and perhaps evaluations of trials in the pack; or why it failed."""
        if "failed" in result:
            self.give_up(self._packs[name].trials, Death("raised", str(result["failed"])))
            return
        for sentence in result.pop("said", ()):
            self._progress.say(sentence)
        self.spend(result.pop("spent", {}))
        self._progress.advanced(name, int(result["reached"]), result.get("memory"))
        # The tracker knows which of these it has: a driver that was killed may not have come to the last.
        for trial, evaluations in pickle.loads(result.pop("earlier", _NOTHING)).items():
            for evaluation in evaluations:
                self._recorder.record(trial, evaluation)
        if "origin" in result:
            self._place(self._packs[name], result.pop("origin"))
        payload = result.pop("payload", None)
        if payload is None:
            return
        # What is settled was told before, by a process that died since.
        fresh = [one for one in pickle.loads(payload).items() if one[0] not in self._ledger.settled]
        for trial, (evaluation, stop) in fresh:
            self._recorder.record(trial, evaluation, stop, self._pictured(self._packs[name], trial))
        # To settle is to tell the search, whose own memory may fail.
        for trial, (evaluation, stop) in fresh:
            if evaluation.fault is not None:
                self.failures += 1
                self._ledger.settle(trial, Settled({}, evaluation.fault.reason))
            elif evaluation.final:
                self._ledger.settle(trial, Settled(evaluation.metrics))
            else:
                self._measured[trial] = evaluation.metrics
            self._progress.evaluated(trial, evaluation, stop)

    def _run(self, trial: PlannedTrial) -> TrialRun:
        if self._portraits is None:
            return TrialRun(trial.id, trial.config.params())
        return self._portraits.of(trial)

    def _place(self, pack: Pack, found: Origin) -> None:
        """Where the trials of a pack are trained, and on what; who is read again was trained elsewhere."""
        trials = [t.id for t in pack.trials if not t.is_read_again]
        self._recorder.note(trials, found.tags, Data(found.name, found.digest, found.source))
        if trials and self._portraits is not None:
            self._portraits.trained({**found.tags, DATA: found.digest})

    def _pictured(self, pack: Pack, trial: str) -> Mapping[str, str]:
        """What its run says once it is over and has a picture."""
        if self._portraits is None:
            return {}
        return next((self._portraits.pictured(one) for one in pack.trials if one.id == trial), {})

    def measured(self, trials: Collection[str]) -> dict[str, Mapping[str, float]]:
        """What was last measured of trials that are still on their way."""
        return {trial: self._measured[trial] for trial in trials if trial in self._measured}

    def _doom(self, trial: PlannedTrial, reason: str) -> None:
        """A trial whose base failed; nothing of it was trained."""
        evaluation = Evaluation(trial.start, final=False, fault=Fault(reason, kind="base"))
        self._recorder.start([self._run(trial)])
        self._recorder.record(trial.id, evaluation)
        self._progress.evaluated(trial.id, evaluation)

    def start_again(self, trials: Sequence[PlannedTrial], death: Death, halves: bool = False) -> None:
        """The process of a pack died; its trials go on in another, from their newest checkpoints."""
        how = "starts again in halves" if halves else "starts again"
        self.say(f"a pack of {len(trials)} {how}: {death.reason}")

    def spend(self, seconds: Mapping[str, float]) -> None:
        """Seconds went into something."""
        self._progress.clock.add(seconds)

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        self._progress.say(sentence)

    def give_up(self, trials: Sequence[PlannedTrial], death: Death) -> None:
        """Trials that are given up after their retries."""
        left = [planned.id for planned in trials if planned.id not in self._ledger.settled]
        self.failures += len(left)
        begun = {trial.id for pack in self._packs.values() for trial in pack.trials}
        self._recorder.start([self._run(t) for t in trials if t.id in set(left) - begun])
        for trial in left:
            self._recorder.fail(trial, death.reason, death.kind)
            self._ledger.settle(trial, Settled({}, death.reason))
        self._progress.failed(left, death.reason)
