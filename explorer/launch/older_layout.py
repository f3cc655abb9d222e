"""Runs of layout 1, written before identities had two parts: found again by their parameters.

Layout 1 named a trial by a hash over what is trained *and* what is read, defaults spelled out, and kept both as
parameters. From these the trial's config, and the readings it has, can be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from explorer.errors import UserError
from explorer.results.table import Scalar, Trial
from explorer.store.foreign import load_json
from explorer.store.schema import At
from explorer.sweep.members import build_plan, build_trial
from explorer.sweep.messages import MOVED
from trainables.config import FAMILIES, SECTIONS, TrialConfig
from trainables.objectives import Adversarial

__all__ = ["FoundAgain", "find_again", "from_param"]


@dataclass(frozen=True)
class FoundAgain:
    """Who a run of layout 1 is today.

    Attributes:
        id: the identity of its config.
        marks: fingerprints of the readings it has.
    """

    id: str
    marks: Mapping[At, str]


def find_again(trial: Trial) -> FoundAgain | None:
    """The trial behind a run of layout 1; None if its parameters are not those of a trial any more."""
    sections: dict[str, dict[str, Any]] = {}
    for path, value in trial.params.items():
        section, _, name = MOVED.get(path, path).partition(".")
        sections.setdefault(section, {})[name] = from_param(value)
    sections.setdefault("generator_constraint", {"name": "none"})  # layout 1 had none
    if not all(family.is_ours(sections.get(name, {}).get("name")) for name, family in FAMILIES.items()):
        return None  # layout 1 knew our own members only, and nothing that is read back imports others
    try:
        config = build_trial({name: sections.get(name, {}) for name in SECTIONS}, trial.seed or 0)
        read = {key: value for key, value in sections.get("evaluation", {}).items() if key != "every"}
        plan = build_plan(read, sections.get("refinement", {}))
    except (UserError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # params of others
    have = {
        At(*key): mark
        for key, mark in plan.of(config.dataset).readings().items()
        if At(*key) in trial.readings
    }
    return FoundAgain(_as_left_open(config).identity(), have)


def _as_left_open(config: TrialConfig) -> TrialConfig:
    """Layout 1 spelled out the warm-up that is a quarter of the iterations unless said otherwise."""
    objective = config.objective
    if isinstance(objective, Adversarial) and objective.warmup == config.training.iterations // 4:
        return replace(config, objective=replace(objective, warmup=None))
    return config


def from_param(value: Scalar) -> Any:
    """A field from a run's parameter: sequences are stored as JSON text."""
    if isinstance(value, str) and value[:1] == "[":
        return load_json(value) or value
    return value
