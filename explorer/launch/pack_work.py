"""The work on one pack, whoever asks for it: trains in short strides, so that progress shows and a stop is heard.

One trial's fault is its own. What an evaluation finds wrong with a trial costs that trial, and it leaves the pack. What
raises for all at once (building networks, a step of training) is tried again in halves, from the newest checkpoints,
until the fault is alone with its trial; the others go on.
"""

from __future__ import annotations

import gc
import pickle
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.launch.base_states import base_states, unfit
from explorer.launch.clock import Clock
from explorer.launch.engine.messages import Verdict
from explorer.launch.faults import may_pass
from explorer.launch.histories import from_state, to_state
from explorer.launch.meter import Meter
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.parts import Parts
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
    seconds by what they went into; ``said``, sentences that the user should hear, if there are any; and ``waiting``,
    trials that stand at a rung until :meth:`decide` is called.
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
        self._planned = {trial.id: trial.start for trial in pack.trials}
        self._at = dict(self._planned)
        self._histories: dict[str, list[Evaluation]] = {trial.id: [] for trial in pack.trials}
        self._meter = Meter(list(self._planned), float(config["gpus"]))
        self._clock = Clock()
        self._rate = 0.0
        self._saved = time.monotonic()
        self._stops = {t.id: Stop(t.end, self._stopper, t.stop) for t in pack.trials if t.stop}
        self._verdict: Verdict | None = None
        self._told: Told = {}
        self._earlier: dict[str, list[Evaluation]] = {}
        notes = self._checkpoints.notes([trial.id for trial in pack.trials])
        self._waiting = _by_end(self._as_stopped(trial, notes.get(trial.id)) for trial in pack.trials)
        self._part: _Part | None = None
        self._course: Iterator[None] | None = None
        self._over: set[str] = set()
        self._built = False
        self._parts = Parts(config)

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
    def _trials(self) -> list[PlannedTrial]:
        """The trials of the part at work."""
        return self._waiting[0]

    @property
    def waiting(self) -> list[str]:
        """Trials that stand at a rung, saved, and need to be told whether they go on."""
        waits = self._part is not None and self._part.waits and self._verdict is None
        return [trial.id for trial in self._trials] if waits else []

    def decide(self, verdict: Verdict) -> None:
        """What becomes of the trials that wait; it is done at the next step."""
        self._verdict = verdict

    def save(self) -> None:
        """Write down where every trial stands: the pack is about to be ended. Whoever is read, or waits, is saved."""
        if self._part is not None and self._course is None and not self._part.waits and not self._part.due:
            self._checkpoint(self._part.population)

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
        result: dict[str, Any] = {"reached": self._reached(), "done": not self._waiting}
        if self._told:
            result["payload"] = pickle.dumps(self._told)
        result["spent"] = self._clock.taken()
        if self._said:
            result["said"] = list(self._said)
        if self.waiting:
            result["waiting"] = self.waiting
        if self._device == "cuda":
            free, whole = torch.cuda.mem_get_info()
            result["memory"] = 1 - free / whole
        if self._earlier:
            result["earlier"] = pickle.dumps(self._earlier)
            self._earlier = {}
        self._told = {}
        self._said.clear()
        return result

    def close(self) -> None:
        """End what reads ahead for training; a later step goes on from the newest checkpoints."""
        part, self._part, self._course = self._part, None, None
        if part is not None:
            part.population.close()

    def _reached(self) -> int:
        return sum(max(0, at - self._planned[trial]) for trial, at in self._at.items())

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
            self._give_back()
        while self._waiting:
            try:
                states = self._checkpoints.newest_states([trial.id for trial in self._trials])
            except Unreadable as unread:
                self._leave_out(unread.trial, Fault(str(unread), "state"))
                continue
            self._waiting[0:1] = self._by_iteration(self._trials, states)
            if not self._waiting:
                return
            trials = self._trials
            own = [states[trial.id] for trial in trials if trial.id in states]
            starts, faults = (None, {}) if own else base_states(trials, self._checkpoints)
            for name, fault in faults.items():
                self._leave_out(name, fault)
            if faults:
                continue
            parts, reason = self._parts.of(trials)
            if len(parts) > 1:
                self._said.append(reason)
                self._waiting[0:1] = parts
                continue
            configs = [trial.config for trial in trials]
            self._built = True
            prepare(configs[0].dataset, self._orders.plan, self._device)
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
            self._at |= {trial.id: here for trial in trials}
            for trial, state in zip(trials, own, strict=False):  # none of them has one, or all
                self._meter.take_up(trial.id, state)
                self._remember(trial.id, state, here)
            # An evaluation made at the checkpoint may not have reached the tracker: repeat it.
            due = here >= end or (here > 0 and here % self._every == 0)
            self._part = _Part(population, end, due, trials[0].final)
            return

    def _remember(self, trial: str, state: TrialState, here: int) -> None:
        """What was measured before a checkpoint, of which the driver may not have heard."""
        if "history" in state and not self._histories[trial]:
            self._histories[trial] = [one for one in from_state(state["history"]) if one.iteration < here]
            self._earlier[trial] = list(self._histories[trial])

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
        self._fail(next(trial for trial in self._trials if trial.id == name), fault)
        self._waiting[0] = [trial for trial in self._trials if trial.id != name]
        if not self._waiting[0]:
            self._waiting.pop(0)

    def _fail(self, trial: PlannedTrial, fault: Fault) -> None:
        from trainables.evaluation.reading import Evaluation

        self._told[trial.id] = (Evaluation(self._at[trial.id], final=False, fault=fault), None)

    def _divide(self, error: Exception) -> None:
        """What raised is tried again in halves, without those that are over; a trial that raises alone is at fault."""
        self.close()
        raised = self._waiting.pop(0)
        trials = [trial for trial in raised if trial.id not in self._over]
        if len(raised) == 1 and trials:
            self._fail(trials[0], fault_of(error))
        else:
            middle = len(trials) // 2
            self._waiting[0:0] = [*_by_end(trials[:middle]), *_by_end(trials[middle:])]

    def _give_back(self) -> None:
        """Memory of a card that nobody needs any more; elsewhere it goes by itself."""
        import torch

        if self._device == "cuda":
            gc.collect()
            torch.cuda.empty_cache()

    def _go_on(self, part: _Part) -> None:
        """Until there is something to tell, with what was begun or with what comes next."""
        if self._course is None:
            self._course = self._obey(part) if part.waits else self._stride(part)
        over = object()
        if next(self._course, over) is over:
            self._course = None

    def _stride(self, part: _Part) -> Iterator[None]:
        """Training, and what is due after it; pauses where some trials of an evaluation can be told."""
        population = part.population
        if not part.due:
            self._train(population, part.end)
        at_end = population.iteration >= part.end
        evaluating = part.due or at_end or population.iteration % self._every == 0
        if not part.due and (evaluating or time.monotonic() - self._saved > _CHECKPOINT_SECONDS):
            self._checkpoint(population)
        part.due = False
        if evaluating and at_end and part.final:
            population.close()  # it is not trained any more, and reading takes memory too
            yield from self._read(part, range(len(self._trials)))
            self._keep(part, [])
        elif evaluating:
            sound = self._look(population)
            reasons = self._orders.stopping.stop(
                {trial: self._histories[trial] for trial in sound}, self._orders.goals
            )
            yield from self._end_early(part, reasons)
            going = set(sound) - reasons.keys()
            self._keep(part, [i for i, trial in enumerate(self._trials) if trial.id in going])
        part.waits = at_end and not part.final and self._part is part

    def _train(self, population: Population, end: int) -> None:
        mark = min(end, (population.iteration // self._every + 1) * self._every)
        stride = max(1, int(self._rate * _STRIDE_SECONDS)) if self._rate else 10
        chunk = min(mark - population.iteration, stride)
        spent = self._meter.train(population, [trial.id for trial in self._trials], chunk)
        self._clock.add({"training": spent})
        self._rate = chunk / max(spent, 1e-6)
        for trial in self._trials:
            self._at[trial.id] = population.iteration

    def _look(self, population: Population) -> list[str]:
        """Evaluate all trials of the part on their way; those that are not at fault, in their order."""
        sound = []
        for trial, evaluation in self._evaluate(population, self._trials, final=False):
            self._told[trial] = (evaluation, None)
            if evaluation.fault is None:
                _add(self._histories[trial], evaluation)
                sound.append(trial)
            else:
                self._over.add(trial)
        return sound

    def _read(self, part: _Part, rows: Sequence[int]) -> Iterator[None]:
        """Evaluate trials for good, some at a time, with a pause in between."""
        for start in range(0, len(rows), _READ_AT_ONCE):
            if start:
                yield
            some = rows[start : start + _READ_AT_ONCE]
            trials = [self._trials[i] for i in some]
            population = part.population if len(some) == len(self._trials) else part.population.keep(some)
            for trial, evaluation in self._evaluate(population, trials, final=True):
                stop = self._stops.get(trial)
                if stop is not None and evaluation.fault is None:
                    self._checkpoints.set_note(trial, stop.text())
                self._told[trial] = (evaluation, stop)
                self._over.add(trial)

    def _obey(self, part: _Part) -> Iterator[None]:
        """Do what was decided of the trials that wait; those of which nothing was said leave the pack as they are.

        It is written down first: where something raises meanwhile, they go on as was decided.
        """
        verdict, self._verdict, part.waits = self._verdict or Verdict(), None, False
        self._over |= {trial.id for trial in self._trials} - verdict.go_on.keys() - verdict.stop.keys()
        rows = [i for i, trial in enumerate(self._trials) if trial.id in verdict.go_on]
        for i in rows:
            part.end, part.final = verdict.go_on[self._trials[i].id]
            self._trials[i] = replace(self._trials[i], end=part.end, final=part.final)
        yield from self._end_early(part, verdict.stop)
        self._keep(part, rows)

    def _end_early(self, part: _Part, reasons: Mapping[str, str]) -> Iterator[None]:
        """End trials, each for its reason, also where something raises meanwhile; they are read as at their end."""
        rows = [i for i, trial in enumerate(self._trials) if trial.id in reasons]
        here = part.population.iteration
        self._stops |= {trial: Stop(here, self._stopper, why) for trial, why in reasons.items()}
        for i in rows:
            self._trials[i] = replace(self._trials[i], end=here, final=True)
        yield from self._read(part, rows)

    def _keep(self, part: _Part, rows: Sequence[int]) -> None:
        """Go on with some of the trials; with none, with the next part."""
        if not rows:
            self._waiting.pop(0)
            self.close()
        elif len(rows) < len(self._trials):
            self._waiting[0] = [self._trials[i] for i in rows]
            before = part.population
            part.population = before.keep(rows)
            before.close()

    def _checkpoint(self, population: Population) -> None:
        names = [trial.id for trial in self._trials]
        states = zip(names, population.states(), strict=True)
        with self._clock.on("checkpoints"):
            self._checkpoints.save({name: {**state, **self._beside(name)} for name, state in states})
        self._saved = time.monotonic()

    def _beside(self, trial: str) -> TrialState:
        """What a checkpoint has beside the trial's state."""
        return {"seconds": self._meter.account(trial), "history": to_state(self._histories[trial])}

    def _evaluate(
        self, population: Population, trials: Sequence[PlannedTrial], final: bool
    ) -> Iterator[tuple[str, Evaluation]]:
        from trainables.evaluation.evaluate import evaluate

        with self._clock.on("evaluation"):
            found = evaluate(population, self._orders.plan, final)
            for row in self._short(found):  # once more, alone
                alone = population if len(found) == 1 else population.keep([row])
                (found[row],) = evaluate(alone, self._orders.plan, final)
        for trial, one in zip(trials, found, strict=True):
            yield trial.id, self._metered(trial, one)

    def _short(self, found: Sequence[Evaluation]) -> list[int]:
        """Trials for whose evaluation there was too little memory, where more can be had: what graphs held."""
        rows = [i for i, one in enumerate(found) if one.fault is not None and one.fault.kind == "memory"]
        if not rows or (len(found) == 1 and self._device == "cpu"):
            return []
        if self._part is not None:
            self._part.population.close()
        self._give_back()
        return rows

    def _metered(self, trial: PlannedTrial, evaluation: Evaluation) -> Evaluation:
        """With what training it has cost so far."""
        if not evaluation.readings:
            return evaluation
        spent = self._meter.diagnostics(trial.id)
        return replace(evaluation, diagnostics={**evaluation.diagnostics, **spent})


def _by_end(trials: Iterable[PlannedTrial]) -> list[list[PlannedTrial]]:
    groups: dict[tuple[int, bool], list[PlannedTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.end, trial.final), []).append(trial)
    return [groups[end] for end in sorted(groups)]


def _add(history: list[Evaluation], evaluation: Evaluation) -> None:
    """A history has one evaluation an iteration: what was repeated after a fault counts once."""
    if history and history[-1].iteration >= evaluation.iteration:
        history[:] = [one for one in history if one.iteration < evaluation.iteration]
    history.append(evaluation)
