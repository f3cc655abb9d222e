"""The work on one pack, whoever asks for it: trains in short strides, so that progress shows and a stop is heard.

One trial's fault is its own. What an evaluation finds wrong with a trial costs that trial, and it leaves the pack. What
raises for all at once (building networks, a step of training) is tried again in halves, from the newest checkpoints,
until the fault is alone with its trial; the others go on.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.launch.base_states import base_states, unfit
from explorer.launch.clock import Clock
from explorer.launch.engine.messages import Verdict
from explorer.launch.evaluator import Evaluator, give_back
from explorer.launch.faults import may_pass
from explorer.launch.pack_books import PackBooks
from explorer.launch.pack_queue import PackQueue
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.parts import Parts
from explorer.launch.provenance import Origin, origin
from explorer.launch.sampler_files import SamplerFiles
from explorer.storage import open_files
from explorer.store.stop import Stop
from trainables.faults import Fault, fault_of

if TYPE_CHECKING:
    from trainables.evaluation.reading import Evaluation
    from trainables.training.population import Population
    from trainables.training.rows import TrialState
    from trainables.training.state_files import StateFiles

__all__ = ["PackWork"]

_STRIDE_SECONDS = 1.5
_CHECKPOINT_SECONDS = 30.0
_READ_AT_ONCE = 16
"""Trials that are read for good between two results: whoever logs them begins while others are still read."""

Told = dict[str, "tuple[Evaluation, Stop | None]"]


@dataclass
class _Part:
    """Trials that stand at one iteration and go to one end, as a population.

    ``due``: to be evaluated as they are. ``final``: whether they are over at that end; else they wait there for what is
    decided of them, ``waits``.
    """

    population: Population
    end: int
    due: bool
    final: bool
    waits: bool = False


class PackWork:
    """Trains one pack, or only reads it again, from wherever its checkpoints left it.

    Results of steps carry ``reached``, the iterations that its trials have behind them since the pack was planned;
    ``done``; at evaluations ``payload``, pickled ``{trial: (Evaluation, Stop or None)}``, and ``earlier``, pickled
    ``{trial: [Evaluation, …]}``, those that a checkpoint knows of; ``memory``, the share of a card in use; ``spent``,
    seconds by what they went into; ``said``, sentences that the user should hear, if there are any; ``origin``, once,
    where and on what the pack is trained; and ``waiting``, trials that stand at a rung until :meth:`decide` is called.
    """

    def __init__(
        self, config: dict[str, Any], shipped: bool = False, files: StateFiles | None = None
    ) -> None:
        """``config``: the pack as JSON, where checkpoints lie, what it gets of the machine, the stopper's mark; with
        ``only_read`` nothing is trained here, whatever becomes of it.

        ``shipped``: whether Ray brought the user's modules along. ``files``: where checkpoints lie, if they are reached
        in another way from here.
        """
        import torch

        from trainables.training.checkpoints import CheckpointFolder

        torch.set_num_threads(max(1, int(config["cpus"])))
        pack, self._orders = Pack.from_json(config["pack"], shipped)
        self._device = "cuda" if config["gpus"] else "cpu"
        self._stopper = config["stopper"]
        self._only_reads = bool(config.get("only_read"))
        self._said: list[str] = []
        self._checkpoints = CheckpointFolder(files or open_files(config["storage"]), self._said.append)
        self._every = self._orders.plan.evaluation.every
        self._clock = Clock()
        self._books = PackBooks(pack.trials, self._checkpoints, float(config["gpus"]), self._clock)
        self._evaluator = Evaluator(self._orders.plan, self._device, self._clock)
        self._rate = 0.0
        self._stops = {t.id: Stop(t.end, self._stopper, t.stop) for t in pack.trials if t.stop}
        self._verdict: Verdict | None = None
        self._told: Told = {}
        notes = self._checkpoints.notes([trial.id for trial in pack.trials])
        self._queue = PackQueue(self._as_stopped(trial, notes.get(trial.id)) for trial in pack.trials)
        self._part: _Part | None = None
        self._course: Iterator[None] | None = None
        self._over: set[str] = set()
        self._built = False
        self._parts = Parts(config)
        self._origin: Origin | None = None
        self._origin_told = False
        self._samplers = SamplerFiles(
            self._checkpoints.files, int(config.get("largest_model", 0)), self._said.append
        )

    def _as_stopped(self, trial: PlannedTrial, note: str | None) -> PlannedTrial:
        """A trial that this stopper had ended before ends there, and is read there again."""
        stop = None if trial.stop else Stop.parse(note)
        if stop is None or stop.by != self._stopper or stop.iteration > trial.end:
            return trial
        if stop.iteration not in self._checkpoints.iterations(trial.id):
            return trial
        self._stops[trial.id] = stop
        return replace(trial, end=stop.iteration, final=True)

    @property
    def waiting(self) -> list[str]:
        """Trials that stand at a rung, saved, and need to be told whether they go on."""
        waits = self._part is not None and self._part.waits and self._verdict is None
        return [trial.id for trial in self._queue.first] if waits else []

    def decide(self, verdict: Verdict) -> None:
        """What becomes of the trials that wait; it is done at the next step."""
        self._verdict = verdict

    def save(self) -> None:
        """Write down where every trial stands: the pack is about to be ended. Whoever is read, or waits, is saved."""
        if self._part is not None and self._course is None and not self._part.waits and not self._part.due:
            self._books.save(self._part.population, self._queue.first)

    def step(self) -> dict[str, Any]:
        """Train until the next evaluation, but not longer than a stride; or go on with an evaluation."""
        import torch

        try:
            if self._part is None:
                with self._clock.on("building"):
                    self._open()
            if self._part is not None:
                self._go_on(self._part)
        except Exception as error:
            if may_pass(error):
                self.close()
                raise
            self._divide(error)
        result: dict[str, Any] = {"reached": self._books.reached, "done": not self._queue}
        if self._told:
            result["payload"] = pickle.dumps(self._told)
        result["spent"] = self._clock.taken()
        if self._said:
            result["said"] = list(self._said)
        if self._origin is not None and not self._origin_told:
            result["origin"], self._origin_told = self._origin, True
        if self.waiting:
            result["waiting"] = self.waiting
        if self._device == "cuda":
            free, whole = torch.cuda.mem_get_info()
            result["memory"] = 1 - free / whole
        earlier = self._books.told_again()
        if earlier:
            result["earlier"] = pickle.dumps(earlier)
        self._told = {}
        self._said.clear()
        return result

    def close(self) -> None:
        """End what reads ahead for training; a later step goes on from the newest checkpoints."""
        part, self._part, self._course = self._part, None, None
        if part is not None:
            part.population.close()

    def _open(self) -> None:
        """Make a population of the trials that wait first, where their newest checkpoints are, else at their bases.

        What the one before held is given back here: while it is being closed an exception may still hold on to it.
        Trials that stand elsewhere than their neighbours, since a checkpoint was of no use, wait as a part of their
        own.
        """
        from trainables.evaluation.evaluate import prepare
        from trainables.training.checkpoints import Unreadable
        from trainables.training.population import Population
        from trainables.training.rows import StateMisfit

        if self._built:
            give_back(self._device)
        while self._queue:
            try:
                states = self._checkpoints.newest_states([trial.id for trial in self._queue.first])
            except Unreadable as unread:
                self._leave_out(unread.trial, Fault(str(unread), "state"))
                continue
            groups = self._by_iteration(self._queue.first, states)
            self._queue.cut(groups)
            if not groups:
                continue
            trials = self._queue.first
            own = [states[trial.id] for trial in trials if trial.id in states]
            starts, faults = (None, {}) if own else base_states(trials, self._checkpoints)
            for name, fault in faults.items():
                self._leave_out(name, fault)
            if faults:
                continue
            parts, reason = self._parts.of(trials)
            if len(parts) > 1:
                self._said.append(reason)
                self._queue.cut(parts)
                continue
            configs = [trial.config for trial in trials]
            self._built = True
            digest = prepare(configs[0].dataset, self._orders.plan, self._device)
            self._origin = self._origin or origin(configs[0].dataset, digest, self._device)
            try:
                population = Population(configs, own or None, self._device, starts=starts)
            except StateMisfit as misfit:
                trial = trials[misfit.index]
                if own:
                    self._checkpoints.put_aside(trial.id, int(states[trial.id]["iteration"]), str(misfit))
                else:
                    self._leave_out(trial.id, unfit(trial, misfit))
                continue
            here, end = population.iteration, trials[0].end
            self._books.take_up(trials, states, here)
            # An evaluation made at the checkpoint may not have reached the tracker: repeat it.
            due = here >= end or (here > 0 and here % self._every == 0)
            self._part = _Part(population, end, due, trials[0].final)
            return

    def _by_iteration(
        self, trials: Sequence[PlannedTrial], states: dict[str, TrialState]
    ) -> list[list[PlannedTrial]]:
        """Trials that stand at one iteration together, the furthest first.

        Whoever was finished must have its final state, and whoever begins at a base some state, since that base was not
        asked for. Others, whose end was not told of yet, are trained anew, or to their end.
        """
        groups: dict[int, list[PlannedTrial]] = {}
        for trial in trials:
            here = int(states[trial.id]["iteration"]) if trial.id in states else 0
            short = here < trial.end and not trial.remaining
            guarded = self._only_reads or trial.finished or (not here and trial.config.start is not None)
            if short and guarded:
                reason = "its final state is gone, so that it cannot be read; run again to train it anew"
                self._fail(trial, Fault(reason, "state"))
                continue
            groups.setdefault(here, []).append(trial)
        return [groups[here] for here in sorted(groups, reverse=True)]

    def _leave_out(self, name: str, fault: Fault) -> None:
        """One of the trials that wait first is at fault; the others go on waiting."""
        self._fail(self._queue.leave_out(name), fault)

    def _fail(self, trial: PlannedTrial, fault: Fault) -> None:
        from trainables.evaluation.reading import Evaluation

        self._told[trial.id] = (Evaluation(self._books.at(trial.id), final=False, fault=fault), None)

    def _divide(self, error: Exception) -> None:
        """What raised is tried again in halves, without those that are over; a trial that raises alone is at fault."""
        self.close()
        alone = self._queue.divide(self._over)
        if alone is not None:
            self._fail(alone, fault_of(error))

    def _go_on(self, part: _Part) -> None:
        """Until there is something to tell, with what was begun or with what comes next."""
        if self._course is None:
            self._course = self._obey(part) if part.waits else self._stride(part)
        over = object()
        if next(self._course, over) is over:
            self._course = None

    def _stride(self, part: _Part) -> Iterator[None]:
        """Training, and what is due after it; pauses where some trials of an evaluation can be told."""
        population, trials = part.population, self._queue.first
        if not part.due:
            self._train(population, part.end)
        at_end = population.iteration >= part.end
        evaluating = part.due or at_end or population.iteration % self._every == 0
        if not part.due and (evaluating or self._books.since_saved > _CHECKPOINT_SECONDS):
            self._books.save(population, trials)
        part.due = False
        if evaluating and at_end and part.final:
            population.close()  # it is not trained any more, and reading takes memory too
            yield from self._read(part, range(len(trials)))
            self._keep(part, [])
        elif evaluating:
            sound = self._look(part)
            reasons = self._orders.stopping.stop(self._books.histories(sound), self._orders.goals)
            yield from self._end_early(part, reasons)
            going = set(sound) - reasons.keys()
            self._keep(part, [i for i, trial in enumerate(trials) if trial.id in going])
        part.waits = at_end and not part.final and self._part is part

    def _train(self, population: Population, end: int) -> None:
        mark = min(end, (population.iteration // self._every + 1) * self._every)
        stride = max(1, int(self._rate * _STRIDE_SECONDS)) if self._rate else 10
        chunk = min(mark - population.iteration, stride)
        spent = self._books.train(population, self._queue.first, chunk)
        self._rate = chunk / max(spent, 1e-6)

    def _look(self, part: _Part) -> list[str]:
        """Evaluate all trials of the part on their way; those that are not at fault, in their order."""
        sound = []
        found = self._evaluator.of(part.population, final=False, trained=part.population)
        for trial, evaluation in self._metered(self._queue.first, found):
            self._told[trial] = (evaluation, None)
            if evaluation.fault is None:
                self._books.add(trial, evaluation)
                sound.append(trial)
            else:
                self._over.add(trial)
        return sound

    def _read(self, part: _Part, rows: Sequence[int]) -> Iterator[None]:
        """Evaluate trials for good, some at a time, with a pause in between."""
        whole = self._queue.first
        for start in range(0, len(rows), _READ_AT_ONCE):
            if start:
                yield
            some = rows[start : start + _READ_AT_ONCE]
            population = part.population if len(some) == len(whole) else part.population.keep(some)
            found = self._evaluator.of(population, final=True, trained=part.population)
            with self._clock.on("checkpoints"):
                self._samplers.keep(population, [whole[i].id for i in some], found)
            for trial, evaluation in self._metered([whole[i] for i in some], found):
                stop = self._stops.get(trial)
                if stop is not None and evaluation.fault is None:
                    self._checkpoints.set_note(trial, stop.text())
                self._told[trial] = (replace(evaluation, ratios=None), stop)
                self._over.add(trial)

    def _metered(
        self, trials: Sequence[PlannedTrial], found: Sequence[Evaluation]
    ) -> Iterator[tuple[str, Evaluation]]:
        for trial, evaluation in zip(trials, found, strict=True):
            yield trial.id, self._books.metered(trial.id, evaluation)

    def _obey(self, part: _Part) -> Iterator[None]:
        """Do what was decided of the trials that wait; those of which nothing was said leave the pack as they are.

        It is written down first: where something raises meanwhile, they go on as was decided.
        """
        verdict, self._verdict, part.waits = self._verdict or Verdict(), None, False
        trials = self._queue.first
        self._over |= {trial.id for trial in trials} - verdict.go_on.keys() - verdict.stop.keys()
        rows = [i for i, trial in enumerate(trials) if trial.id in verdict.go_on]
        for i in rows:
            part.end, part.final = verdict.go_on[trials[i].id]
        self._queue.set_ends(verdict.go_on)
        yield from self._end_early(part, verdict.stop)
        self._keep(part, rows)

    def _end_early(self, part: _Part, reasons: Mapping[str, str]) -> Iterator[None]:
        """End trials, each for its reason, also where something raises meanwhile; they are read as at their end."""
        here = part.population.iteration
        self._stops |= {trial: Stop(here, self._stopper, why) for trial, why in reasons.items()}
        self._queue.set_ends(dict.fromkeys(reasons, (here, True)))
        yield from self._read(part, [i for i, trial in enumerate(self._queue.first) if trial.id in reasons])

    def _keep(self, part: _Part, rows: Sequence[int]) -> None:
        """Go on with some of the trials; with none, with the next part."""
        fewer = len(rows) < len(self._queue.first)
        self._queue.keep(rows)
        if not rows:
            self.close()
        elif fewer:
            before = part.population
            part.population = before.keep(rows)
            before.close()
