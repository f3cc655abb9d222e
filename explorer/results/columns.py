"""A table of trials as arrays: what a page that shows ten thousand of them computes with.

A column is made when it is first asked for and kept as long as the table: O(trials) once, whatever is asked later.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from explorer.goals import Direction, Goal
from explorer.results.naming import Naming, kind_of, words_of
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, At

__all__ = ["Codes", "Columns", "Mask", "Numbers", "Words"]

T = TypeVar("T")
WHATEVER_GOALS = ("metric", "names", "numbers", "numeric", "param", "read", "words")
"""Kinds of columns that are the same whatever is striven for."""
Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Words:
    """A column of words: ``words[codes[i]]`` is that of row i, -1 where it has none."""

    codes: Codes
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of a table; row i is trial i."""

    table: TrialTable

    def __len__(self) -> int:
        return len(self.table)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The rows."""
        return self.table.trials

    @cached_property
    def _kept(self) -> dict[object, Any]:
        return {}

    def kept(self, key: object, made: Callable[[], T]) -> T:
        """What was made of this table under a key, made when it is first asked for."""
        if key not in self._kept:
            self._kept[key] = made()
        found: T = self._kept[key]
        return found

    def remembered(self, key: Hashable, made: Callable[[], T], most: int = 16) -> T:
        """What was made last under one of ``most`` keys: for keys without number, such as those of filters."""
        recent = self.kept("remembered", OrderedDict[Hashable, tuple[Any]])
        # Several sessions share a table: what another one drops meanwhile must not be looked up again.
        known = recent.pop(key, ())
        entry: tuple[T] = known if known else (made(),)
        recent[key] = entry
        while len(recent) > most:
            recent.popitem(last=False)
        return entry[0]

    def under(self, goals: tuple[Goal, ...]) -> Columns:
        """The same trials under other objectives, the sweep's own if none are given; made once, for the last few."""
        if not goals or goals == self.table.goals:
            return self
        return self.remembered(("under", goals), lambda: self._under(goals))

    def _under(self, goals: tuple[Goal, ...]) -> Columns:
        other = Columns(replace(self.table, goals=goals))
        same = {
            key: made
            for key, made in list(self._kept.items())
            if isinstance(key, tuple) and key[0] in WHATEVER_GOALS
        }
        other._kept.update(same)
        return other

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Identities of the trials."""
        return tuple(trial.id for trial in self.trials)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Row by identity."""
        return {identity: row for row, identity in enumerate(self.ids)}

    @cached_property
    def statuses(self) -> NDArray[np.str_]:
        """Where each trial stands."""
        return np.array([trial.status for trial in self.trials], dtype="U8")

    @cached_property
    def finished(self) -> Mask:
        """Which trials ended well."""
        found: Mask = self.statuses == "finished"
        return found

    @cached_property
    def seeds(self) -> Codes:
        """Seeds, -1 where there is none; of those that are no natural numbers of 63 bits the rest modulo 2^63."""
        return np.array([-1 if t.seed is None else t.seed % 2**63 for t in self.trials], dtype=np.int64)

    @cached_property
    def varying(self) -> tuple[str, ...]:
        """Dotted paths that tell trials apart."""
        return tuple(self.table.varying())

    @cached_property
    def paths(self) -> frozenset[str]:
        """Dotted paths of all parameters that some trial has."""
        return frozenset(path for trial in self.trials for path in trial.params)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Refinements through which some trial was read."""
        return tuple(self.table.methods())

    @cached_property
    def readings(self) -> tuple[At, ...]:
        """Every reading that some trial has, the model as it is first, then by method and budget."""
        found = {at for trial in self.trials for at in trial.readings} - {PLAIN}
        return (PLAIN, *sorted(found))

    def budgets(self, method: str | None = None) -> tuple[float, ...]:
        """Every K at which some trial was read through a method (the first, if none is named), 1 among them."""
        chosen = method or next(iter(self.methods), PLAIN.method)
        return tuple(sorted({1.0, *(at.budget for at in self.readings if at.method == chosen)}))

    def metric_names(self, at: At = PLAIN) -> list[str]:
        """Keys of what some trial has at a reading, in the catalogue's order, diagnostics last."""
        return self.kept(("names", at), lambda: self.table.metric_names(at))

    def metric(self, name: str, at: At = PLAIN) -> Numbers:
        """(N,) a metric at a reading; NaN where a trial has none that is finite."""
        at = PLAIN if at.budget == 1 else at
        return self.kept(("metric", name, at), lambda: _metric(self._read(at), name))

    def _read(self, at: At) -> list[Mapping[str, float]]:
        """What every trial has at a reading: the first column of a reading looks it up for all."""
        return self.kept(("read", at), lambda: [trial.readings.get(at, {}) for trial in self.trials])

    def reading_words(self, at: At) -> str:
        """A reading for people: ``K = 2``, with the method where the sweep has several."""
        return at.words(with_method=len(self.methods) > 1)

    def param(self, path: str) -> tuple[Scalar, ...]:
        """The values of a parameter as they are; None where it does not apply."""
        return self.kept(("param", path), lambda: tuple(trial.params.get(path) for trial in self.trials))

    def is_numeric(self, path: str) -> bool:
        """Whether all values of a parameter are numbers, and there are some."""
        return self.kept(("numeric", path), lambda: _all_numbers(self.param(path)))

    def numbers(self, name: str, at: At = PLAIN) -> Numbers:
        """(N,) a metric at a reading, or a parameter; metrics win where a name is both. NaN where it is no number."""
        if name in self.metric_names(at):
            return self.metric(name, at)
        return self._numbers(("numbers", name), lambda trial: trial.params.get(name))

    def words(self, path: str) -> Words:
        """A parameter as words, as a reader sees them; numbers in their order."""
        return self.kept(("words", path), lambda: _words(self.param(path)))

    @cached_property
    def naming(self) -> Naming:
        """What tells trials apart."""
        return Naming.of([trial.params for trial in self.trials])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Trials by what varies, ``λ 0.1 · L 20 · seed 0``; the identity where nothing does."""
        return tuple(self.naming.name(trial.params) or trial.id for trial in self.trials)

    @cached_property
    def configurations(self) -> Codes:
        """(N,) which configuration a trial is of, by first appearance: those that differ in the seed alone share it."""
        found: dict[object, int] = {}
        codes = [found.setdefault(trial.point(), len(found)) for trial in self.trials]
        return np.array(codes, dtype=np.int64)

    @cached_property
    def configuration_names(self) -> tuple[str, ...]:
        """A name per configuration: that of its trials, without the seed."""
        firsts = self.first_rows
        naming = Naming.of([_without_seed(self.trials[row]) for row in firsts])
        told = (naming.name(_without_seed(self.trials[row])) for row in firsts)
        return tuple(name or "the configuration" for name in told)

    @cached_property
    def first_rows(self) -> Codes:
        """The first row of every configuration."""
        _, first = np.unique(self.configurations, return_index=True)
        return np.asarray(first, dtype=np.int64)

    def goals(self, at: At = PLAIN) -> Numbers:
        """(N, M) the sweep's objectives at a reading, smaller always better; NaN where a trial lacks one."""
        columns = [goal.sign * self.metric(goal.metric, at) for goal in self.table.goals]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0))

    def direction(self, name: str) -> Direction | None:
        """Where better lies: as the sweep's objectives say, else as its catalogue does."""
        declared = {goal.metric: goal.direction for goal in self.table.goals}
        return declared.get(name, self.table.catalogue.direction(name))

    def axis_names(self, at: At = PLAIN) -> list[str]:
        """Columns that can be an axis at a reading: what it measured, then the varying numeric parameters."""
        return [
            *self.metric_names(at),
            *(path for path in self.varying if path != "seed" and self.is_numeric(path)),
        ]

    def colour_names(self, at: At = PLAIN) -> list[str]:
        """Columns that can be a colour at a reading: what it measured, then the varying parameters."""
        return [*self.metric_names(at), *(path for path in self.varying if path != "seed")]

    def rows(self, mask: Mask) -> list[Trial]:
        """The trials of a mask."""
        return [self.trials[row] for row in np.flatnonzero(mask)]

    def _numbers(self, key: object, read: Callable[[Trial], Scalar]) -> Numbers:
        return self.kept(key, lambda: _fixed(np.array([_number(read(t)) for t in self.trials], np.float64)))


def _fixed(column: Numbers) -> Numbers:
    """The column, which all who ask share and nobody is to change."""
    column.setflags(write=False)
    return column


def _metric(read: list[Mapping[str, float]], name: str) -> Numbers:
    values = np.array([metrics.get(name, math.nan) for metrics in read], dtype=np.float64)
    values[~np.isfinite(values)] = math.nan
    return _fixed(values)


def _number(value: Scalar) -> float:
    return float(value) if _is_number(value) else math.nan  # type: ignore[arg-type]


def _all_numbers(values: tuple[Scalar, ...]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(_is_number(value) for value in present)


def _words(values: tuple[Scalar, ...]) -> Words:
    """Values as words, and the code of each."""
    told = words_of(value for value in values if value is not None)
    known = {word: value for (_, value), word in told.items()}
    order = sorted(known, key=lambda w: (0, _number(known[w]), "") if _is_number(known[w]) else (1, 0.0, w))
    code = {word: i for i, word in enumerate(order)}
    codes = [-1 if value is None else code[told[kind_of(value)]] for value in values]
    return Words(np.array(codes, dtype=np.int64), tuple(order))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _without_seed(trial: Trial) -> dict[str, Scalar]:
    return {path: value for path, value in trial.params.items() if path != "seed"}
