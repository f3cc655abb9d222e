"""A stored trial as a sweep file of its own, which trains it once more.

What was trained comes from the trial's parameters, and from those of the base that it began at, so the file names the
same trial: its identity is a hash of nothing else. How it is read, the user's modules and the resources come from the
file of its sweep, where that can be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from explorer.results.catalogue import BASE
from explorer.results.table import Scalar, Trial, TrialTable

__all__ = ["base_params", "can_repeat", "config_yaml", "repeat_document", "repeat_name", "repeat_yaml"]

LONGEST_DOCUMENT = 2**17
"""Characters of a sweep's file that is read for what it says of readings."""

SECTIONS = ("dataset", "model", "objective", "constraint", "generator_constraint", "training")
"""The sections of a sweep file that name a trial, as ``trainables.config`` has them, which knows torch."""

BASE_SECTIONS = SECTIONS[2:]
"""Those that a base may have of its own; its dataset, model and seed are the trial's."""

TAKEN = ("plugins", "refinement", "evaluation", "resources")
"""What the sweep's file adds: all that names no trial and that a repetition needs."""


def can_repeat(trial: Trial) -> bool:
    """Whether its parameters name what was trained, as those of our sweeps do and a table's of others do not."""
    return all(
        isinstance(trial.params.get(f"{name}.name"), str) for name in ("dataset", "model", "objective")
    )


def config_yaml(trial: Trial) -> str:
    """What was trained, as sections of YAML: all parameters, those of no section too."""
    return _dump(_nested(trial.params))


def repeat_name(trial: Trial) -> str:
    """What the repetition is called: a sweep of its own, so that the trial there stays as it is."""
    return "repeat-" + (re.sub(r"[^A-Za-z0-9._-]", "-", trial.id)[:40] or "trial")


def base_params(table: TrialTable, trial: Trial) -> Mapping[str, Scalar] | None:
    """The parameters of the base that a trial began at, if it is a trial of the same sweep. O(N)."""
    base = trial.params.get(BASE)
    return next((one.params for one in table if one.id == base), None)


def repeat_yaml(
    trial: Trial, sweep: str, document: str | None = None, base: Mapping[str, Scalar] | None = None
) -> str:
    """The sweep file that repeats a trial.

    Args:
        document: the file of its sweep, if there is one.
        base: parameters of the base that it began at, where they are known.
    """
    return _dump(repeat_document(trial, sweep, document, base))


def repeat_document(
    trial: Trial, sweep: str, document: str | None = None, base: Mapping[str, Scalar] | None = None
) -> dict[str, Any]:
    """The same as plain data.

    A sequence is stored as JSON text and is one again here; so is a text that happens to be a JSON list, of which no
    member has a use. A base that is known is described, so that it is trained where it is not there; of one that is
    not, or that began at a base itself, ``start`` has the identity, whose stored end the repetition begins at.
    """
    nested = _nested(trial.params)
    sections = {name: nested[name] for name in SECTIONS if isinstance(nested.get(name), dict)}
    told = {key: value for key, value in _sweep_file(document).items() if key in TAKEN and value}
    return {
        "name": repeat_name(trial),
        "description": f"Trial {trial.id[:60]} of sweep {sweep[:100]} once more.",
        **({"plugins": told.pop("plugins")} if "plugins" in told else {}),
        **sections,
        **_beginning(nested.get("start"), {} if base is None else _nested(base)),
        "seeds": [0 if trial.seed is None else trial.seed],
        **told,
    }


def _beginning(start: Any, base: Mapping[str, Any]) -> dict[str, Any]:
    """At what a trial begins: the sections ``base`` and ``start``."""
    if not isinstance(start, dict) or "from" not in start:
        return {}
    own = {name: base[name] for name in BASE_SECTIONS if isinstance(base.get(name), dict)}
    critic = {"critic": start["critic"]} if "critic" in start else {}
    if own and "start" not in base:
        return {"base": own, "start": {"from": "base", **critic}}
    return {"start": {"from": start["from"], **critic}}


def _nested(params: Mapping[str, Scalar]) -> dict[str, Any]:
    """``{"a.b": 1}`` → ``{"a": {"b": 1}}``; below a path that is a value itself, paths keep their dots."""
    found: dict[str, Any] = {}
    # Shorter paths first: a value is there before a path that would make a section of it.
    for path, value in sorted(params.items(), key=lambda pair: pair[0].count(".")):
        *parents, last = path.split(".")
        place: Any = found
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                place, last = found, path
                break
        place[last] = _value(value)
    return found


def _value(value: Scalar) -> Any:
    """A stored value; JSON text of a list is a list."""
    if isinstance(value, str) and value.startswith("["):
        try:
            listed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return listed if isinstance(listed, list) else value
    return value


def _sweep_file(text: str | None) -> dict[str, Any]:
    """The sweep's file as plain data; nothing where it is none, too long, or uses what could make it endless."""
    if not text or len(text) > LONGEST_DOCUMENT:
        return {}
    try:
        raw = yaml.load(text, Loader=_Plain)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return {}
    return {key: value for key, value in raw.items() if isinstance(key, str)} if isinstance(raw, dict) else {}


class _Plain(yaml.SafeLoader):
    """Refuses aliases, behind which a short text may be long."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """One value and all that is inside."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):
    """Quotes text that begins like a number: ``12e4`` is text for YAML and a number for us."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write what comes twice twice."""
        return True


def _written(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "'" if re.match(r"[-+.\d]", text) and "\n" not in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _written)


def _dump(document: Mapping[str, Any]) -> str:
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
