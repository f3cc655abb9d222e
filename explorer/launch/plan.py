"""What a launch would do: trials, what is done already, packs, expected cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.errors import UserError
from explorer.launch.duration import expected_seconds, seconds_per_turn
from explorer.launch.earlier import Earlier
from explorer.launch.ledger import Ledger
from explorer.launch.packing import Pack, PlannedTrial, make_packs
from explorer.launch.places import NewestCheckpoints, checkpoint_files, memo_of
from explorer.launch.slots import Slots, local_slots
from explorer.launch.warm_start import earlier_points, warm_sentence
from explorer.sweep.plugins import of_members
from explorer.sweep.sweep import Sweep
from explorer.words import counted
from trainables.config import TrialConfig

__all__ = ["Plan", "check_networks", "make_plan", "sketch_plan"]


@dataclass(frozen=True)
class Plan:
    """A launch, before it happens.

    Attributes:
        trials: trials of the sweep in all, bases not counted.
        bases: bases that the sweep trains itself.
        bases_left: of these, to be trained or read.
        bases_to_train: the identities of those to be trained.
        done: of these, finished before, with every reading that is asked for.
        diverged: of these, ended before without result; they would end so again.
        doomed: of these, with a base that failed and would fail again; they are not trained.
        left: trials and bases to be trained or read.
        resumed: of these, to go on from a checkpoint.
        read: of these, only to be read: trained before, or no more than their bases at a λ of their own.
        packs: what would be trained or read, pack by pack; for a search that learns the first batch only.
        one_by_one: trials that run alone since their model does not stack, by the name of the model.
        cuda_graphs: whether training is replayed as CUDA graphs, which it is on GPUs.
        iterations: training iterations to do, over all trials.
        seconds: roughly what all of it will take on CPU cores, Ray's start and evaluations of points included; None
            for a GPU and for models that do not tell.
        outside: earlier trials of the sweep that are not in the present plan and stay in its table.
        renamed: runs of an older layout that were found again.
        lost: runs of an older layout that were not, and stay in the table as they are.
        remarks: what there is to say of the search, and of critics that do not know the ratio, a sentence each.
        held: a trial of every kind whose constraints must be asked whether they suit its networks.
    """

    sweep: str
    trials: int
    bases: int
    bases_left: int
    bases_to_train: tuple[str, ...]
    done: int
    diverged: int
    doomed: int
    left: int
    resumed: int
    read: int
    packs: tuple[Pack, ...] = field(repr=False)
    one_by_one: dict[str, int]
    cuda_graphs: bool
    iterations: int
    seconds: float | None
    outside: int
    renamed: int
    lost: int
    remarks: tuple[str, ...] = ()
    held: tuple[TrialConfig, ...] = field(default=(), repr=False)

    def sentences(self) -> list[str]:
        """What there is to do, then what the sweep's table has beside it, a line each."""
        lines = [f"sweep {self.sweep}: {', '.join(self._parts())}", *self.remarks]
        if self.renamed:
            lines.append(f"{counted(self.renamed, 'trial')} of an older layout found again")
        if self.lost:
            lines.append(f"{counted(self.lost, 'trial')} of an older layout left in the table as before")
        if self.outside:
            earlier = counted(self.outside, "earlier trial")
            lines.append(f"{earlier} of this sweep outside the present plan, kept in its table")
        return lines

    def _parts(self) -> Iterator[str]:
        bases, trials = counted(self.bases, "base"), counted(self.trials, "trial")
        if self.bases_left:
            yield f"{bases}, then {trials}"
        else:
            yield trials + (f" from {bases}" if self.bases else "")
        states = {
            "already done": self.done,
            "diverged before": self.diverged,
            "whose base diverged before": self.doomed,
            "to go on from a checkpoint": self.resumed,
            "to be read, without training": self.read,
        }
        yield from (f"{count} {words}" for words, count in states.items() if count)
        yield from (ways := [*self._ways()])
        if ways and self.cuda_graphs:
            yield "as CUDA graphs"
        if self.iterations:
            yield f"{self.iterations:,} iterations in all"
        if self.seconds is not None:
            yield f"about {_duration(self.seconds)} on this machine's cores"

    def _ways(self) -> Iterator[str]:
        """How trials run: side by side as far as their models stack, else one by one."""
        sizes = [len(pack.trials) for pack in self.packs if pack.trials[0].config.model.stacks]
        if sizes:
            packs = f"{counted(len(sizes), 'pack')} of {min(sizes)}"
            yield packs if min(sizes) == max(sizes) else f"{packs} to {max(sizes)}"
        for model, count in self.one_by_one.items():
            yield f"{counted(count, 'trial')} one by one ({model} does not stack)"

    def document(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        plain = {k: v for k, v in vars(self).items() if k not in ("packs", "held")}
        return {**plain, "packs": [[t.id for t in pack.trials] for pack in self.packs]}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 360_000 else f"{seconds / 86_400:,.0f} days"


def make_plan(sweep: Sweep, known: Earlier, slots: Slots | None = None) -> Plan:
    """The plan of a sweep on ``slots``, by default those of this machine; refuses what networks cannot have."""
    plan = sketch_plan(sweep, known, slots)
    check_networks(plan)
    return plan


@of_members()
def sketch_plan(sweep: Sweep, known: Earlier, slots: Slots | None = None) -> Plan:
    """As ``make_plan``, but no network was looked at yet, which takes torch and seconds."""
    slots = slots or local_slots(sweep)
    earlier = earlier_points(sweep)
    source = sweep.source(memo_of(sweep), earlier, dry=True)
    ledger = Ledger(sweep, source, known, _checkpoints(NewestCheckpoints(checkpoint_files(sweep)), known))
    while ledger.refill(source.total, limit=10**9):
        pass  # what is known is answered at once, and a search that learns goes on from there
    todo = [trial for pack in ledger.drain() for trial in pack.trials]
    parts = [[t for t in todo if t.id in ledger.bases], [t for t in todo if t.id not in ledger.bases]]
    packs = [pack for part in parts for pack in make_packs(part, slots.pack_limit(sweep, len(part)))]
    settled = known.settled
    return Plan(
        sweep=sweep.name,
        trials=len(ledger.planned),
        bases=len(ledger.bases),
        bases_left=len(parts[0]),
        bases_to_train=tuple(base.id for base in parts[0] if base.remaining),
        done=sum(1 for t in ledger.reused if settled[t].metrics),
        diverged=sum(1 for t in ledger.reused if not settled[t].metrics),
        doomed=len(ledger.doomed),
        left=len(todo),
        resumed=sum(1 for t in todo if t.start and t.remaining),
        read=sum(1 for t in todo if not t.remaining),
        packs=() if sweep.search.learns else tuple(packs),
        one_by_one=dict(Counter(t.config.model.name for t in todo if not t.config.model.stacks)),
        cuda_graphs=slots.gpu and any(t.remaining for t in todo),
        iterations=sum(t.remaining for t in todo),
        seconds=None if slots.gpu or not todo else _seconds(sweep, todo, slots),
        outside=len(known.present - {*ledger.planned, *ledger.bases}),
        renamed=len(set(known.renamed) & set(ledger.planned)),
        lost=len(known.lost),
        remarks=tuple(
            sentence
            for sentence in (
                *sweep.search.remarks(sweep.points),
                warm_sentence(sweep, len(earlier)),
                source.note,
                _ratio_sentence(sweep, todo),
            )
            if sentence
        ),
        held=_held(t.config for t in todo if t.remaining),
    )


def _seconds(sweep: Sweep, todo: Sequence[PlannedTrial], slots: Slots) -> float | None:
    """In packs as they will be: a search that learns has only so many trials in flight."""
    flight = (sweep.search.flight() or len(todo)) * len(sweep.seeds)
    packs = make_packs(todo, slots.pack_limit(sweep, min(flight, len(todo))))
    return expected_seconds(packs, sweep.plan, slots.count, sweep.resources.cpus, seconds_per_turn())


def _ratio_sentence(sweep: Sweep, todo: Sequence[PlannedTrial]) -> str:
    """Of trials that are refined by the word of critics that do not know the ratio; empty where there are none."""
    asking = [one.name for one in sweep.plan.refinements if one.asked() and getattr(one, "scored", True)]
    unsure = sorted({t.config.objective.name for t in todo if not t.config.objective.knows_ratio()})
    if not asking or not unsure:
        return ""
    return (
        f"the best critic of objective {', '.join(unsure)} orders samples and does not know the ratio of the "
        f"densities: a slope is fitted to it after training, on which readings of {', '.join(asking)} rest"
    )


def _held(configs: Iterable[TrialConfig]) -> tuple[TrialConfig, ...]:
    """One of every kind of trial whose constraints look at networks."""
    kinds = {
        (c.dataset.shape, c.dataset.classes, c.model, type(c.constraint), type(c.generator_constraint)): c
        for c in configs
        if c.constraint.looks() or c.generator_constraint.looks()
    }
    return tuple(kinds.values())


@of_members()
def check_networks(plan: Plan) -> None:
    """Refuse constraints that networks cannot have, each pair of them looked at once."""
    if not plan.held:
        return
    from trainables.training.fits import check_fits  # with torch, which most plans do without

    for config in plan.held:
        try:
            check_fits(config)
        except ValueError as error:
            raise UserError(str(error)) from error


def _checkpoints(newest: NewestCheckpoints, known: Earlier) -> Callable[[str], int]:
    """Newest checkpoints, those of runs of an older layout under their old names."""

    def of(trial: str) -> int:
        return newest(trial) or (newest(known.renamed[trial]) if trial in known.renamed else 0)

    return of
