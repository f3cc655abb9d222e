"""A sweep as the rest of the program sees it: typed and valid."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, shown
from explorer.goals import USUAL_GOALS
from explorer.search import SEARCHES, Search, Study, of_search
from explorer.stopping import SINGLE_METRIC, STOPPERS, Stopper
from explorer.sweep.axes import Point
from explorer.sweep.conditions import conditioned
from explorer.sweep.members import Made, build_config, build_member, build_plan, build_trial
from explorer.sweep.plugins import Plugin, find_plugins, import_plugins, of_members
from explorer.sweep.resources import ResourceSpec, TrackingSpec
from explorer.sweep.sections import check_fields, lay_over, own_fields, variable_paths, words_of
from explorer.sweep.space import Space
from explorer.sweep.space_section import parse_space
from explorer.sweep.start import Beginning, parse_start
from trainables.config import FAMILIES, SECTIONS, SEEDS, TrialConfig
from trainables.evaluation.settings import ReadingPlan
from trainables.family import Config
from trainables.nearest import nearest

if TYPE_CHECKING:
    from explorer.search.points.memo import Memo, Tried
    from explorer.search.points.source import PointSource
    from trainables.datasets.dataset import Dataset

__all__ = ["Document", "Sweep", "build_sweep"]


@dataclass(frozen=True)
class Document(Config):
    """The keys of a sweep file."""

    name: str
    description: str = ""
    plugins: list[str] = field(default_factory=list)
    dataset: dict[str, Any] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    objective: dict[str, Any] = field(default_factory=dict)
    constraint: dict[str, Any] = field(default_factory=dict)
    generator_constraint: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    base: dict[str, Any] | None = None
    start: dict[str, Any] | None = None
    refinement: dict[str, Any] | list[dict[str, Any]] = field(default_factory=dict)
    evaluation: dict[str, Any] = field(default_factory=dict)
    seeds: int | list[int] = 1
    space: Any = None
    search: dict[str, Any] = field(default_factory=dict)
    stopping: dict[str, Any] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    tracking: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """A valid sweep.

    Attributes:
        sections: those that name a trial as written, before a point of the space is laid over them.
        start: the bases at which trials begin, None where they begin at random.
        plan: what is read of every trial; it can change without training anything again.
        document: the whole file as plain data, for the record.
        file: where it was read from, or the preset that it is; empty if it came from Python.
    """

    name: str
    description: str
    plugins: tuple[Plugin, ...]
    sections: Mapping[str, Any]
    start: Beginning | None
    plan: ReadingPlan
    space: Space
    seeds: tuple[int, ...]
    search: Search
    stopping: Stopper
    resources: ResourceSpec
    tracking: TrackingSpec
    document: Mapping[str, Any]
    file: str = field(default="", compare=False)
    _last: Made = field(default_factory=dict, init=False, repr=False, compare=False)
    _fitting: set[Dataset] = field(default_factory=set, init=False, repr=False, compare=False)

    def trial(self, point: Point, seed: int) -> TrialConfig:
        """The config of one point with one seed."""
        return self._repeat(point, (seed,))[0]

    def repeats(self, point: Point) -> list[TrialConfig]:
        """One trial per seed, as far as the search may go. O(seeds); what the seeds share is made once."""
        return self._repeat(point, self.seeds[: self.search.trials])

    def _repeat(self, point: Point, seeds: Sequence[int]) -> list[TrialConfig]:
        try:
            begin = None if self.start is None else self.start.of
            sections = lay_over(self.sections, point)
            trials = [build_trial(sections, seed, self._last, begin) for seed in seeds]
            for trial in trials:
                self._check_data(trial.dataset)
        except (UserError, ValueError) as error:
            raise UserError(_at_point(str(error), point)) from error
        return trials

    def _check_data(self, dataset: Dataset) -> None:
        """What is measured suits the data; thousands of points share a few datasets."""
        if dataset not in self._fitting:
            self.plan.evaluation.check_data(dataset)
            self._fitting.add(dataset)

    def source(
        self, memo: Memo | None = None, earlier: Sequence[Tried] = (), dry: bool = False
    ) -> PointSource:
        """The points of its search, each standing for the trials that it leads to.

        ``memo`` has what was asked before, ``earlier`` what other sweeps have tried; ``dry`` as for a plan.
        """

        def key(point: Point) -> str:
            return self.trial(point, self.seeds[0]).identity()

        with of_search(self.search):
            return self.search.source(self.space, self.points, Study(memo, key, tuple(earlier), dry))

    @cached_property
    def points(self) -> int | None:
        """How many points a search may try, None for as many as there are."""
        return None if self.search.trials is None else -(-self.search.trials // len(self.seeds))


def _at_point(text: str, point: Point) -> str:
    """The sentence, with the values of the point that it speaks of."""
    culprits = {path: value for path, value in point.items() if f" {value}" in text or f"'{value}'" in text}
    if not culprits:
        return text
    return f"{text} (at the point {', '.join(f'{p} = {v}' for p, v in culprits.items())})"


def build_sweep(raw: Mapping[str, Any], folder: Path = Path()) -> Sweep:
    """Validate a document from a file in ``folder``; every fault is one ``UserError``."""
    keys = [f.name for f in fields(Document)]
    for key in raw:
        if key not in keys:
            raise UserError(f"unknown key {shown(key)}: a sweep has no {shown(key)}{nearest(key, keys)}")
    document = build_config(Document, raw, "")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", document.name):
        raise UserError(
            f"a sweep's name is letters, digits, '.', '_' or '-', at most 100 of them, got {shown(document.name)}"
        )
    if len(document.description) > LONGEST_DESCRIPTION:
        raise UserError(
            f"description must hold at most {LONGEST_DESCRIPTION:,} characters, got {len(document.description):,}"
        )
    seeds = _seeds(raw.get("seeds", 1), document.seeds)
    plugins = find_plugins(document.plugins, folder)
    import_plugins(plugins)
    with of_members():
        return _built(document, plugins, seeds)


def _built(document: Document, plugins: tuple[Plugin, ...], seeds: tuple[int, ...]) -> Sweep:
    plan = build_plan(document.evaluation, document.refinement)
    mentioned = words_of([document.space, *(getattr(document, name) for name in SECTIONS)])
    tracking = build_config(TrackingSpec, document.tracking, "tracking")
    sections = {name: getattr(document, name) for name in SECTIONS}
    space = parse_space(document.space, variable_paths(mentioned))
    check_fields(sections, space)
    sweep = Sweep(
        name=document.name,
        description=document.description,
        plugins=plugins,
        sections=sections,
        start=parse_start(
            document.start,
            document.base,
            document.name,
            tracking.uri,
            tracking.experiment,
        ),
        plan=plan,
        space=conditioned(space, sections),
        seeds=seeds,
        search=build_member(SEARCHES, {**_usual_goals(plan), **document.search}, "search"),
        stopping=_stopper(document.stopping),
        resources=build_config(ResourceSpec, document.resources, "resources"),
        tracking=tracking,
        document=document.plain(),
    )
    _check(sweep)
    return sweep


def _usual_goals(plan: ReadingPlan) -> dict[str, dict[str, str]]:
    """Objectives for a sweep that names none: the usual ones as far as they are measured, else all with a direction."""
    measured = {e.key: str(e.direction) for e in plan.catalogue() if e.key in plan.goals() and e.direction}
    usual = {key: way for key, way in USUAL_GOALS.items() if key in measured}
    return {"objectives": usual or measured} if measured else {}


def _stopper(raw: Mapping[str, Any]) -> Stopper:
    name = raw.get("name")
    if isinstance(name, str) and name.lower().replace("-", "_") in SINGLE_METRIC:
        raise UserError(
            f"stopping '{name}' ranks trials by one metric, and a sweep has several objectives; use 'halving', which "
            "ranks them by fronts"
        )
    return build_member(STOPPERS, raw, "stopping")


MOST_SEEDS = 10_000
MOST_TRIALS = 20_000
LONGEST_DESCRIPTION = 5_000


def _seeds(written: object, seeds: int | list[int]) -> tuple[int, ...]:
    listed = seeds if isinstance(seeds, list) else range(min(max(seeds, 0), MOST_SEEDS + 1))
    wrong = not listed or len(listed) > MOST_SEEDS or len(set(listed)) != len(listed) or min(listed) < 0
    if wrong or max(listed) >= SEEDS:
        raise UserError(
            f"seeds must be a number from 1 to {MOST_SEEDS} or a list of distinct seeds in [0, 2^62), "
            f"got {shown(written)}"
        )
    return tuple(listed)


def _check_size(sweep: Sweep) -> None:
    """Count before anything is made of the count."""
    with of_search(sweep.search):
        reach, seeds = sweep.search.reach(sweep.space), len(sweep.seeds)
    bounds = [sweep.search.trials, None if reach is None else reach * seeds]
    trials = min((bound for bound in bounds if bound is not None), default=0)
    if trials > MOST_TRIALS:
        raise UserError(
            f"a sweep has at most {MOST_TRIALS:,} trials, got {trials:,} with {seeds:,} seeds; "
            "use fewer steps or seeds, or set search.trials"
        )


def _check(sweep: Sweep) -> None:
    """Goals can be measured, fields belong to members in play, what the file says and every point are admissible."""
    _check_size(sweep)
    goals = sweep.plan.goals()
    for metric, _ in _wanted(sweep):
        if metric not in goals:
            raise UserError(f"no metric is called '{metric}'{nearest(metric, goals)}")
    for section, raw in own_fields(sweep.sections).items():
        build_member(FAMILIES[section], raw, section)
    with of_search(sweep.search):
        met: set[Dataset] = set()
        for point in sweep.search.probes(sweep.space):
            dataset = sweep.trial(point, sweep.seeds[0]).dataset
            if dataset not in met:
                _check_goals(sweep, dataset)
                met.add(dataset)


def _wanted(sweep: Sweep) -> list[tuple[str, str]]:
    """Every metric that the search must be told, and the key that asks for it."""
    goals, bounds = sweep.search.goals(), sweep.search.bounds()
    return [(g.metric, "objectives") for g in goals] + [(b.metric, "constraints") for b in bounds]


def _check_goals(sweep: Sweep, dataset: Dataset) -> None:
    """What the sweep strives for can be measured on this data."""
    lacking = sweep.plan.out_of_reach(dataset)
    for metric, key in _wanted(sweep):
        if metric in lacking:
            raise UserError(
                f"search.{key} has '{metric}', which needs {lacking[metric]}; dataset '{dataset.name}' has none; "
                "leave it out, or strive for precision and recall"
            )
