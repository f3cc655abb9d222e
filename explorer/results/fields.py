"""What a column is, in one sentence: a metric's from the sweep's catalogue, a parameter's from a member's docstring.

Docstrings of members that are not ours are in the catalogue, since they are not imported here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from explorer.results.catalogue import Catalogue
from explorer.results.columns import Columns
from explorer.results.known_fields import MEMBER_SECTIONS, documented, family_of, in_words, settings_of
from trainables.metrics.ends import ends_of

__all__ = ["sentence", "sentence_in"]

MOST_NAMES = 24
"""Members that a sentence lists; beyond, it says how many there are."""

_ALONE = {
    "seed": "What all random numbers of a trial are drawn with; trials that differ in it alone are repeats."
}
"""Parameters that are in no section."""

_SECTIONS = {
    "dataset": "Where real samples come from",
    "model": "Generator and critic",
    "objective": "What generator and critic minimise",
    "constraint": "What holds the critic's slopes down",
    "generator_constraint": "What holds the generator's slopes down",
    "refinement": "What is done with samples after training",
    "evaluation.features": "The space in which samples are compared",
    "evaluation.metrics": "What is measured",
}


def sentence(path: str, catalogue: Catalogue, member: str | None = None) -> str:
    """One sentence about a metric, a diagnostic or a parameter; empty for what is not known.

    Args:
        path: a metric's key, with its reading or without (``fid``, ``obrs/2/fid``), or the dotted path of a parameter
            (``objective.lam``). Metrics win where a name is both, as in a table.
        catalogue: that of the sweep.
        member: the name of the member in the parameter's section, where the sentence should be that member's own: the
            width of one model is not that of another.

    O(1) but for the first look at a section, which imports our members of its family. What a catalogue says is text of
    the store: whoever shows it escapes it.
    """
    return _told(path, catalogue, None if member is None else (member,))


def sentence_in(columns: Columns, path: str) -> str:
    """As ``sentence``, of the members that the trials of a table have. O(trials) once for each section."""
    section = path.rpartition(".")[0]
    names = columns.words(f"{section}.name").words if section in MEMBER_SECTIONS else ()
    return _told(path, columns.table.catalogue, names or None)


def _told(path: str, catalogue: Catalogue, members: tuple[str, ...] | None) -> str:
    key = path.rpartition("/")[2]
    entry = catalogue.entries.get(path) or catalogue.entries.get(key)
    if entry is not None:
        return entry.sentence
    between = catalogue.entries.get(key.rpartition(".")[0])
    for end in ends_of(between) if between is not None else ():
        if end.key == key:
            return end.sentence
    return _parameter(path, members, _theirs(path, catalogue))


def _theirs(path: str, catalogue: Catalogue) -> tuple[tuple[str, str], ...]:
    """What the sweep's own members say of a parameter, by their names. O(fields of such members)."""
    section, _, field = path.rpartition(".")
    before, behind = f"{section}.", f".{field}"
    return tuple(
        (key.removeprefix(before).removesuffix(behind), words)
        for key, words in catalogue.fields.items()
        if key.startswith(before) and key.endswith(behind) and key.count(".") == path.count(".") + 1
    )


@lru_cache(maxsize=4096)  # paths come from stores, which anybody may write
def _parameter(path: str, members: tuple[str, ...] | None, theirs: tuple[tuple[str, str], ...]) -> str:
    section, _, field = path.rpartition(".")
    if not section:
        return _ALONE.get(path, "")
    family = family_of(section)
    if family is None:
        return settings_of(section).get(field, "")
    told = {name: _of(kind, field) for name, kind in family.loaded().items()}
    told |= {name: words for name, words in theirs if name not in told}
    chosen = told if members is None else {name: told[name] for name in members if name in told}
    return _which(section, chosen) if field == "name" else _apart(chosen)


def _which(section: str, members: dict[str, str]) -> str:
    """What a member is, or which ones there are."""
    return "".join(members.values()) if len(members) < 2 else f"{_SECTIONS[section]}: {_listed(members)}."


def _of(kind: Any, field: str) -> str:
    """What a member says of a field, or of itself; nothing if it has none of that name."""
    if field == "name":
        return in_words(kind.summary())
    return documented(kind).get(field, "") if any(own.name == field for own in kind.declared()) else ""


def _apart(told: dict[str, str]) -> str:
    """One sentence where members agree, else each with its members: ``Of dcgan: channels …; of glow: steps ….``"""
    sayings: dict[str, list[str]] = {}
    for name, words in told.items():
        if words:
            sayings.setdefault(words, []).append(name)
    if len(sayings) < 2:
        return "".join(sayings)
    parts = "; ".join(f"of {_listed(names)}: {words.removesuffix('.')}" for words, names in sayings.items())
    return f"{parts[0].upper()}{parts[1:]}."


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - MOST_NAMES} more" if len(every) > MOST_NAMES else ""
    return ", ".join(every[:MOST_NAMES]) + more
