"""Names for people: a value as text, and a trial or a group of trials by what tells it from the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from explorer.results.catalogue import BASE, LAMBDA, PARAMETERS, STAGE
from explorer.results.table import Scalar, varying

__all__ = ["LONGEST", "Naming", "cut", "kind_of", "number", "plain", "words_of"]

SIGNS = {**PARAMETERS, "constraint.lipschitz": "L", "generator_constraint.lipschitz": "L of G", STAGE: "base"}
"""Parameters that a name calls by a letter or a word or two."""
MAX_VALUE = 24
"""Characters of one value in a name."""
LONGEST = 300
"""Characters of a value that is shown; the files of a sweep's trials have it whole."""


def number(value: float, digits: int = 3) -> str:
    """A number for people: three significant digits, no exponent where none is needed."""
    if not math.isfinite(value):
        return "–"
    if value != 0 and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.{digits - 1}e}"
    if float(value).is_integer() and abs(value) < 1e5:
        return str(int(value))
    return f"{value:.{digits}g}" if abs(value) < 100 else f"{value:.0f}"


def cut(text: str, length: int = LONGEST) -> str:
    """Text of at most so many characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


def plain(value: Scalar) -> str:
    """A parameter's value as text, cut where it is too long to be shown; whole numbers have all their digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return str(value)
    return number(value, 4) if isinstance(value, float) else cut(value)


def kind_of(value: Scalar) -> tuple[bool, Scalar]:
    """A value as a key: a truth is no number, though Python holds ``True`` and 1 for equal."""
    return isinstance(value, bool), value


def words_of(values: Iterable[Scalar]) -> dict[tuple[bool, Scalar], str]:
    """A word per value, by its ``kind_of``. Those that ``plain`` makes one are told exactly, so that no two are alike,
    but for texts that begin with the same ``LONGEST`` characters. O(values).
    """
    told: dict[tuple[bool, Scalar], str] = {}
    for value in values:
        kind = kind_of(value)
        if kind not in told:
            told[kind] = plain(value)
    shared = Counter(told.values())
    return {kind: word if shared[word] == 1 else _exactly(kind[1]) for kind, word in told.items()}


def _exactly(value: Scalar) -> str:
    """Numbers with all their digits; a text in quotes, if it is not too long for them."""
    if isinstance(value, bool) or value is None or (isinstance(value, str) and len(value) > LONGEST - 2):
        return plain(value)
    return repr(value)


@dataclass(frozen=True)
class Naming:
    """The parameters that tell points apart, each with a short heading, in the order of a name: λ first, seed last.

    ``words``: how values are told, path by path. ``staged``: some points are bases of others; they are named so.
    """

    headings: Mapping[str, str]
    words: Mapping[str, Mapping[tuple[bool, Scalar], str]] = field(default_factory=dict)
    staged: bool = False

    @classmethod
    def of(cls, points: Sequence[Mapping[str, Scalar]]) -> Naming:
        """The naming of points by their parameters; O(points × parameters)."""
        plain_points = [{path: value for path, value in p.items() if path != BASE} for p in points]
        later = [point for point in plain_points if STAGE in point]
        bases = [point for point in plain_points if STAGE not in point] if later else []
        names = cls.along({*_telling(later or plain_points), *_telling(bases)}).headings
        words = {path: words_of(point[path] for point in points if path in point) for path in names}
        return cls(names, words, staged=bool(bases))

    @classmethod
    def along(cls, paths: Collection[str], staged: bool = False) -> Naming:
        """The naming by these parameters, whichever points may come."""
        short = {path: _short(path) for path in sorted(paths, key=_place)}
        shared = Counter(short.values())
        return cls({path: name if shared[name] == 1 else path for path, name in short.items()}, staged=staged)

    def name(self, params: Mapping[str, Scalar]) -> str:
        """A point in a few words, ``λ 0.1 · spectral · L 20 · seed 0``; empty where nothing tells points apart."""
        return " · ".join(self.parts(params))

    def parts(self, params: Mapping[str, Scalar]) -> list[str]:
        """The same part by part."""
        base = ["base"] if self.staged and STAGE not in params else []
        return base + [self._part(path, params[path]) for path in self.headings if path in params]

    def _part(self, path: str, value: Scalar) -> str:
        """One parameter: a member is its own name, and the member ``none`` says what is not there."""
        section, _, leaf = path.rpartition(".")
        told = self.words.get(path, {}).get(kind_of(value)) or plain(value)
        text = "".join(c if c.isprintable() else " " for c in cut(told, MAX_VALUE))
        if leaf == "name" and section:
            return f"no {section}" if text == "none" else text
        return f"{self.headings[path]} {text}"


def _telling(points: Sequence[Mapping[str, Scalar]]) -> Collection[str]:
    """Paths of two values or more; where they do not tell all points apart, those too that only some points have."""
    paths = varying(points)
    if len({_values(point, paths) for point in points}) < len(
        {_values(point, sorted(point)) for point in points}
    ):
        often = Counter(path for point in points for path in point)
        paths = [
            *paths,
            *(path for path, times in often.items() if times < len(points) and path not in paths),
        ]
    return paths


def _values(point: Mapping[str, Scalar], paths: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((path, repr(point[path])) for path in paths if path in point)


def _short(path: str) -> str:
    """``objective.name`` → objective, ``training.ema`` → ema, ``objective.lam`` → λ."""
    section, _, leaf = path.rpartition(".")
    return SIGNS.get(path, section if leaf == "name" and section else leaf)


def _place(path: str) -> tuple[bool, bool, str, bool, str]:
    """λ first, then by section with its member's name first, the seed last."""
    section, _, leaf = path.rpartition(".")
    return path != LAMBDA, path == "seed", section, leaf != "name", leaf
