"""What becomes of the results of packs, however they come in: the books, the tracking store, the display."""

from __future__ import annotations

import pickle
from typing import Any

from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.progress import Progress
from explorer.launch.recorder import Recorder
from trainables.evaluation.reading import Evaluation
from trainables.faults import Fault

__all__ = ["Inbox"]


class Inbox:
    """Results of packs become results of trials. A pack has a name of its sender's choosing."""

    def __init__(self, ledger: Ledger, recorder: Recorder, progress: Progress) -> None:
        self._ledger = ledger
        self._recorder = recorder
        self._progress = progress
        self._packs: dict[str, Pack] = {}
        ledger.tell_doomed = self._doom

    def knows(self, name: str) -> bool:
        """Whether the pack has begun."""
        return name in self._packs

    def begin(self, name: str, pack: Pack) -> None:
        """A pack begins: its runs are opened."""
        self._packs[name] = pack
        self._recorder.start(
            [(t.id, t.config.params()) for t in pack.trials], {t.id for t in pack.trials if not t.remaining}
        )
        self._progress.started(name, pack)

    def take(self, name: str, result: dict[str, Any]) -> None:
        """A stride, and perhaps an evaluation of every trial in the pack; or why it failed."""
        if "failed" in result:
            self.give_up(name, str(result["failed"]))
            return
        for sentence in result.pop("said", ()):
            self._progress.say(sentence)
        self._progress.advanced(name, int(result["reached"]))
        payload = result.pop("payload", None)
        if payload is None:
            return
        # What is settled was told before, by a process that died since.
        fresh = [one for one in pickle.loads(payload).items() if one[0] not in self._ledger.settled]
        for trial, (evaluation, stop) in fresh:
            self._recorder.record(trial, evaluation, stop)
        # To settle is to tell the search, whose own database may fail.
        for trial, (evaluation, _) in fresh:
            if evaluation.fault is not None:
                self._ledger.settle(trial, Settled({}, evaluation.fault.reason))
            elif evaluation.final:
                self._ledger.settle(trial, Settled(evaluation.metrics))
            self._progress.evaluated(trial, evaluation)

    def _doom(self, trial: PlannedTrial, reason: str) -> None:
        """A trial whose base failed; nothing of it was trained."""
        evaluation = Evaluation(trial.start, final=False, fault=Fault(reason))
        self._recorder.start([(trial.id, trial.config.params())])
        self._recorder.record(trial.id, evaluation)
        self._progress.evaluated(trial.id, evaluation)

    def start_again(self, name: str, reason: str) -> None:
        """The process of a pack died; its trials go on in another, from their newest checkpoints."""
        self._progress.say(f"a pack of {len(self._packs[name].trials)} starts again: {reason}")

    def give_up(self, name: str, reason: str) -> None:
        """A pack is given up after its retries."""
        for planned in self._packs[name].trials:
            if planned.id not in self._ledger.settled:
                self._recorder.fail(planned.id, reason)
                self._ledger.settle(planned.id, Settled({}, reason))
        self._progress.failed(name, reason)
