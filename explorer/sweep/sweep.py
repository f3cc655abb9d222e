"""A sweep as the rest of the program sees it: typed and valid."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from math import inf
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.sweep.messages import nearest, sentence
from explorer.sweep.space import Point, Space, parse_space
from trainables.config import TrialConfig

__all__ = ["ResourceSpec", "SearchSpec", "Sweep", "TrackingSpec", "build_sweep"]

_CLOSED: dict[str, Any] = {"extra": "forbid"}
_OBJECTIVES = {"precision": "max", "recall": "max", "fid": "min"}
METRICS = ("precision", "recall", "density", "coverage", "fid", "quality", "modes_hit", "modes_held")
"""What a trial measures and a search can strive for."""


@dataclass(frozen=True)
class SearchSpec:
    """How points are chosen: every one (``grid``), at random, or by Optuna (``tpe``, ``nsga2``)."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: Literal["grid", "random", "tpe", "nsga2"] = "grid"
    trials: int | None = None
    seed: int = 0
    objectives: dict[str, str] = field(default_factory=lambda: dict(_OBJECTIVES))

    def __post_init__(self) -> None:
        if self.trials is not None and self.trials < 1:
            raise ValueError(f"search.trials must be ≥ 1, got {self.trials}")
        if self.name != "grid" and self.trials is None:
            raise ValueError(f"search '{self.name}' never ends by itself: set search.trials or --trials")
        for objective in parse_goals(self.objectives):
            if objective.metric not in METRICS:
                raise ValueError(
                    f"no metric is called '{objective.metric}'{nearest(objective.metric, METRICS)}"
                )


@dataclass(frozen=True)
class ResourceSpec:
    """What one pack gets of the cluster.

    ``gpus`` left open means one if the cluster has any. ``pack`` caps the trials in a pack; left open, trials are
    spread over all slots. A pack that dies is started again ``retries`` times. ``storage`` holds the checkpoints and
    must be seen by every node; left open, it lies in the data folder.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    cpus: float = 1.0
    gpus: float | None = None
    pack: int | None = None
    retries: int = 2
    storage: str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.cpus < inf:
            raise ValueError(f"resources.cpus must be positive, got {self.cpus:g}")
        if self.gpus is not None and not 0 <= self.gpus < inf:
            raise ValueError(f"resources.gpus must be ≥ 0, got {self.gpus:g}")
        if self.pack is not None and self.pack < 1:
            raise ValueError(f"resources.pack must be ≥ 1, got {self.pack}")
        if self.retries < 0:
            raise ValueError(f"resources.retries must be ≥ 0, got {self.retries}")


@dataclass(frozen=True)
class TrackingSpec:
    """Where runs are kept; ``uri`` defaults to ``$MLFLOW_TRACKING_URI``, else to SQLite in the data folder."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    uri: str | None = None
    experiment: str = "tradeoff-explorer"


@dataclass(frozen=True)
class _Document:
    """The keys of a sweep file."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: str
    description: str = ""
    dataset: dict[str, Any] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)
    objective: dict[str, Any] = field(default_factory=dict)
    constraint: dict[str, Any] = field(default_factory=dict)
    refinement: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    evaluation: dict[str, Any] = field(default_factory=dict)
    seeds: int | list[int] = 1
    space: Any = None
    search: SearchSpec = field(default_factory=SearchSpec)
    resources: ResourceSpec = field(default_factory=ResourceSpec)
    tracking: TrackingSpec = field(default_factory=TrackingSpec)


_SECTIONS = tuple(f.name for f in fields(TrialConfig) if f.name != "seed")
_TRIAL: TypeAdapter[TrialConfig] = TypeAdapter(TrialConfig)
_DOCUMENT: TypeAdapter[_Document] = TypeAdapter(_Document)


@dataclass(frozen=True)
class Sweep:
    """A valid sweep.

    Attributes:
        base: sections of a trial as written, before a point of the space is laid over them.
        document: the whole file as plain data, for the record.
    """

    name: str
    description: str
    base: Mapping[str, Any]
    space: Space
    seeds: tuple[int, ...]
    search: SearchSpec
    resources: ResourceSpec
    tracking: TrackingSpec
    document: Mapping[str, Any]

    def trial(self, point: Point, seed: int) -> TrialConfig:
        """The resolved config of one point with one seed."""
        sections: dict[str, Any] = {name: dict(self.base.get(name, {})) for name in _SECTIONS}
        for path, value in point.items():
            section, _, name = path.partition(".")
            if name:
                sections[section][name] = value
            else:
                sections[section] = {**sections[section], **value}
        try:
            return _TRIAL.validate_python({**sections, "seed": seed}).resolved()
        except ValidationError as error:
            raise UserError(_explain(error, point)) from error

    def repeats(self, point: Point) -> list[TrialConfig]:
        """One trial per seed."""
        return [self.trial(point, seed) for seed in self.seeds]


def _explain(error: ValidationError, point: Point) -> str:
    text = sentence(error, known_fields())
    loc = ".".join(str(part) for part in error.errors(include_url=False)[0]["loc"])
    culprits = {p: v for p, v in point.items() if p.startswith(loc) and str(v) in text}
    if not culprits:
        return text
    return f"{text} (at the point {', '.join(f'{p} = {v}' for p, v in culprits.items())})"


def known_fields() -> dict[str, tuple[str, ...]]:
    """Field names per section, '' for the top: what suggestions are made from."""
    hints = get_type_hints(TrialConfig)
    known: dict[str, tuple[str, ...]] = {"": tuple(f.name for f in fields(_Document))}
    for section in _SECTIONS:
        known[section] = tuple(f.name for f in fields(hints[section]))
    for section, kind in (("search", SearchSpec), ("resources", ResourceSpec), ("tracking", TrackingSpec)):
        known[section] = tuple(f.name for f in fields(kind))
    return known


def variable_paths() -> dict[str, bool]:
    """Every dotted path a space may vary → whether it takes whole numbers. Whole sections may vary too."""
    hints = get_type_hints(TrialConfig)
    paths: dict[str, bool] = {}
    for section in _SECTIONS:
        kind = hints[section]
        assert is_dataclass(kind)
        inner = get_type_hints(kind)
        for f in fields(kind):
            paths[f"{section}.{f.name}"] = _is_whole(inner[f.name])
        paths[section] = False
    return paths


def _is_whole(hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_whole(part) for part in get_args(hint))
    return hint is int


def build_sweep(raw: Mapping[str, Any]) -> Sweep:
    """Validate a document; every fault is one ``UserError``."""
    try:
        document = _DOCUMENT.validate_python(dict(raw))
    except ValidationError as error:
        raise UserError(sentence(error, known_fields())) from error
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", document.name):
        raise UserError(
            f"a sweep's name is letters, digits, '.', '_' or '-', at most 100 of them, got {document.name!r}"
        )
    seeds = range(document.seeds) if isinstance(document.seeds, int) else document.seeds
    if not seeds or len(set(seeds)) != len(seeds) or min(seeds) < 0:
        raise UserError(f"seeds must be a number ≥ 1 or a list of distinct seeds ≥ 0, got {document.seeds!r}")
    sweep = Sweep(
        name=document.name,
        description=document.description,
        base={name: getattr(document, name) for name in _SECTIONS},
        space=parse_space(document.space, variable_paths()),
        seeds=tuple(seeds),
        search=document.search,
        resources=document.resources,
        tracking=document.tracking,
        document=asdict(document),
    )
    _check(sweep)
    return sweep


def _check(sweep: Sweep) -> None:
    """Every point is admissible, and every axis changes some trial."""
    hints = get_type_hints(TrialConfig)
    for section, values in sweep.base.items():
        try:
            TypeAdapter(hints[section]).validate_python(values)
        except ValidationError as error:
            raise UserError(sentence(error, known_fields(), prefix=section)) from error
    points = list(_probed(sweep))
    trials = [(point, sweep.trial(point, sweep.seeds[0])) for point in points]
    for path in sweep.space.paths():
        if "." in path and not any(path in point and _applies(path, trial) for point, trial in trials):
            raise UserError(
                f"space.{path} changes nothing: no trial of this sweep uses {path}, given its objectives, models "
                "and constraints; remove the axis or choose a member that reads it"
            )


def _probed(sweep: Sweep) -> Iterator[Point]:
    if sweep.search.name == "grid":
        yield from sweep.space.grid()
    else:
        yield from sweep.space.probes()


def _applies(path: str, trial: TrialConfig) -> bool:
    section, _, name = path.partition(".")
    if path == "model.size":  # spelled out as widths when resolved
        return True
    return getattr(getattr(trial, section), name) is not None
