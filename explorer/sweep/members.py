"""From mappings to members: the tagged union of a family, validated at the edge, refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from explorer.errors import UserError, brief, shown
from explorer.sweep.messages import has_no, sentence
from trainables.config import FAMILIES, SECTIONS, TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.extractors import EXTRACTORS
from trainables.family import Config, Family, Member, UnknownMember
from trainables.metrics import METRICS
from trainables.models import Model
from trainables.nearest import nearest
from trainables.refinements import REFINEMENTS
from trainables.start import Start

__all__ = [
    "Made", "build_config", "build_evaluation", "build_member", "build_plan", "build_trial", "member_class"
]  # fmt: skip

C = TypeVar("C", bound=Config)
M = TypeVar("M", bound=Member)


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def member_class(family: Family[M], name: object, where: str) -> type[M]:
    """The member of that name; an unknown one is refused with the nearest there is."""
    try:
        return family[name]
    except UnknownMember as error:
        raise UserError(
            f"'{where}.name' cannot be {shown(name)}{nearest(error.asked, error.known)}"
        ) from None
    except ValueError as error:
        raise UserError(str(error)) from error
    except Exception as error:  # a package that brings the member fails to import
        text = (str(error).splitlines() or [""])[0]
        raise UserError(
            f"{family.noun} '{name}' cannot be imported: {type(error).__name__}: {text}"
        ) from error


def build_member(family: Family[M], raw: object, where: str) -> M:
    """A member from its section: a mapping with ``name`` and its own fields, or just the name."""
    if isinstance(raw, str):
        raw = {"name": raw}
    if not isinstance(raw, Mapping):
        raise UserError(f"'{where}' must be a section with keys, got {shown(raw)}")
    fields = {str(key): value for key, value in raw.items()}
    kind = member_class(family, fields.pop("name", family.default), where)
    for key in fields:
        if key not in kind.keys():  # noqa: SIM118 - a method of ours, not of a dictionary
            raise UserError(
                f"unknown key '{where}.{brief(key)}': {has_no(f'{family.noun} {kind.name!r}', key, kind.keys())}"
            )
    try:
        spelled = kind.spelled(fields)
    except ValueError as error:
        raise UserError(f"'{where}': {error}") from error
    return build_config(kind, spelled, where)


def build_config(kind: type[C], raw: object, where: str) -> C:
    """A config from a mapping of its fields."""
    if not isinstance(raw, Mapping):
        raise UserError(f"'{where}' must be a section with keys, got {shown(raw)}")
    _refuse_truth_values(kind, raw, where)
    try:
        chosen: Any = kind
        built: C = _adapter(chosen).validate_python(dict(raw))
    except ValidationError as error:
        raise UserError(sentence(error, [f.name for f in kind.declared()], where)) from error
    return built


def _refuse_truth_values(kind: type[C], raw: Mapping[Any, Any], where: str) -> None:
    """YAML reads yes and on as truth values, which Python takes for numbers; nobody means them so."""
    for name, value in raw.items():
        held = value if isinstance(value, list | tuple) else [value]
        truth = any(isinstance(one, bool) for one in held)
        if truth and not _allows_truth(get_type_hints(kind).get(name, Any)):
            path = f"{where}.{name}" if where else name
            raise UserError(f"'{path}' must not be a truth value, got {shown(value)}; quote it if it is text")


def _allows_truth(hint: Any) -> bool:
    return hint in (bool, Any) or any(map(_allows_truth, get_args(hint)))


def build_evaluation(raw: object, where: str = "evaluation") -> EvaluationConfig:
    """The section ``evaluation``, its extractor and metrics as members."""
    if not isinstance(raw, Mapping):
        raise UserError(f"'{where}' must be a section with keys, got {shown(raw)}")
    fields = dict(raw)
    if fields.get("features") is not None:
        fields["features"] = build_member(EXTRACTORS, fields["features"], f"{where}.features")
    if fields.get("metrics") is not None:
        listed = fields["metrics"]
        if not isinstance(listed, list | tuple) or not listed:
            raise UserError(
                f"'{where}.metrics' must be a list such as [neighbours, frechet], got {shown(listed)}"
            )
        fields["metrics"] = tuple(
            build_member(METRICS, one, f"{where}.metrics[{i}]") for i, one in enumerate(listed)
        )
    return build_config(EvaluationConfig, fields, where)


def build_plan(evaluation: object, refinement: object) -> ReadingPlan:
    """What is read of every trial: one refinement, or a list of them."""
    listed: Sequence[object] = refinement if isinstance(refinement, list | tuple) else [refinement]
    single = len(listed) == 1
    members = tuple(
        build_member(REFINEMENTS, one, "refinement" if single else f"refinement[{i}]")
        for i, one in enumerate(listed)
    )
    try:
        return ReadingPlan(build_evaluation(evaluation), members)
    except ValueError as error:
        raise UserError(str(error)) from error


Made = dict[str, tuple[str, Any]]
"""What was last made of each section of a trial, and of which text."""


def build_trial(
    sections: Mapping[str, Any],
    seed: int,
    last: Made | None = None,
    begin: Callable[[Dataset, Model, int], Start] | None = None,
) -> TrialConfig:
    """A trial from the sections that name it, each a mapping, and from its start, if there is one among them.

    ``begin`` tells the start of a trial by its dataset, model and seed, where the sections do not.

    What ``last`` has of the same text is taken from there, and what is made is put there: points of a space that follow
    each other differ in few sections, and members, being frozen, can be shared.
    """
    last = {} if last is None else last
    built: dict[str, Any] = {}
    for name in SECTIONS:
        raw = sections.get(name, {})
        text = repr(raw)  # 1, 1.0 and True are equal, but not the same
        if last.get(name, ("", None))[0] != text:
            family = FAMILIES.get(name)
            made = build_member(family, raw, name) if family else build_config(TrainingConfig, raw, name)
            last[name] = text, made
        built[name] = last[name][1]
    try:
        start = Start.of(sections["start"]) if "start" in sections else None
        start = start if begin is None else begin(built["dataset"], built["model"], seed)
        return TrialConfig(**built, seed=seed, start=start)
    except ValueError as error:
        raise UserError(str(error)) from error
