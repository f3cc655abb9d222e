"""Fields of this version's members and settings, by the section of a sweep file, each with its sentence.

A sentence is written once: in the section ``Attributes`` of the docstring of the class that has the field. Members are
imported when one of their section is first asked for, ours alone; they are free of torch.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from trainables.family import Family

__all__ = [
    "MEMBER_SECTIONS",
    "SETTINGS",
    "brought_fields",
    "documented",
    "family_of",
    "in_words",
    "settings_of",
]

MEMBER_SECTIONS: Mapping[str, tuple[str, str]] = {
    "dataset": ("trainables.datasets", "DATASETS"),
    "model": ("trainables.models", "MODELS"),
    "objective": ("trainables.objectives", "OBJECTIVES"),
    "constraint": ("trainables.constraints", "CONSTRAINTS"),
    "generator_constraint": ("trainables.constraints", "CONSTRAINTS"),
    "refinement": ("trainables.refinements", "REFINEMENTS"),
    "evaluation.features": ("trainables.extractors", "EXTRACTORS"),
    "evaluation.metrics": ("trainables.metrics", "METRICS"),
}
"""Where the family of a section is. Searches and stoppers are of the sweep: no run has their fields as parameters."""

SETTINGS: Mapping[str, tuple[str, str]] = {
    "training": ("trainables.config", "TrainingConfig"),
    "evaluation": ("trainables.evaluation.settings", "EvaluationConfig"),
    "start": ("trainables.start", "Start"),
}
"""Sections without members."""

_RENAMED = {("start", "from"): "base"}
"""Fields that parameters call by another name."""


def family_of(section: str) -> Family[Any] | None:
    """The family that a section names a member of; None if it names none."""
    found = _class_at(MEMBER_SECTIONS.get(section))
    return found if isinstance(found, Family) else None


def brought_fields(wanted: Callable[[type], bool]) -> dict[str, str]:
    """``section.member.field`` → sentence, of members from outside that are here; ``name`` is the member itself.

    A sweep keeps them, for readers who have not its modules. ``wanted``: whether a member is told of.
    """
    found: dict[str, str] = {}
    for section in MEMBER_SECTIONS:
        family = family_of(section)
        brought: dict[str, Any] = {} if family is None else {name: family[name] for name in family.brought()}
        for name, kind in brought.items():
            if not wanted(kind):
                continue
            words = documented(kind)
            told = {"name": in_words(kind.summary())}
            told |= {own.name: words.get(own.name, "") for own in kind.declared()}
            found |= {f"{section}.{name}.{field}": said for field, said in told.items() if said}
    return found


def settings_of(section: str) -> Mapping[str, str]:
    """Sentences of the fields of a section without members; none for a section that is not known."""
    kind = _class_at(SETTINGS.get(section))
    if not isinstance(kind, type):
        return {}
    told = documented(kind)
    renamed = {name: told[field] for (where, name), field in _RENAMED.items() if where == section}
    return {**told, **renamed}


@cache
def documented(kind: type) -> Mapping[str, str]:
    """What the docstrings of a class and of those it derives from say of its attributes; the nearest one counts."""
    told: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        for names, words in _attributes(vars(base).get("__doc__") or ""):
            told |= dict.fromkeys(names, in_words(words))
    return told


def in_words(text: str) -> str:
    """The first sentence of a docstring's text, as a reader is shown it: no marks, a capital, a full stop."""
    plain = " ".join(text.replace("``", "").split())
    first = re.split(r"(?<=[.!?])\s+(?=[A-Z])", plain, maxsplit=1)[0]
    return f"{_capital(first)}{'' if first.endswith(('.', '!', '?')) else '.'}" if first else ""


def _capital(text: str) -> str:
    """A capital at the start, unless a letter of mathematics stands there: λ, σ, k′."""
    word = re.match(r"\w+", text)
    return text[0].upper() + text[1:] if word and word[0].isascii() and len(word[0]) > 1 else text


def _attributes(doc: str) -> list[tuple[list[str], str]]:
    """(names, text) of every entry in the section ``Attributes`` of a docstring."""
    lines = inspect.cleandoc(doc).splitlines()
    if "Attributes:" not in lines:
        return []
    found: list[tuple[list[str], str]] = []
    for line in lines[lines.index("Attributes:") + 1 :]:
        entry = re.match(r" {4}(\w+(?:, \w+)*): (.*)", line)
        if entry:
            found.append((entry[1].split(", "), entry[2]))
        elif line.startswith(" " * 8) and found:
            found[-1] = found[-1][0], f"{found[-1][1]} {line.strip()}"
        else:
            break
    return found


def _class_at(place: tuple[str, str] | None) -> object:
    return None if place is None else getattr(import_module(place[0]), place[1])
