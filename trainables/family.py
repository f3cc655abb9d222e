"""What a member of a family is, and how members are found: ours, an installed package's, the user's own.

A family is a folder; a member is one file in it: a frozen dataclass, free of torch, whose fields are what a sweep file
may say and whose methods build the torch part when asked. Nothing lists the members: the folder does.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from numbers import Real
from pathlib import PurePath
from types import ModuleType, UnionType
from typing import Any, ClassVar, Generic, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from trainables.declarations import are_shorthands, blamed, fits, misfit, reason, written

__all__ = ["Config", "Family", "Member", "UnknownMember", "at_most", "positive", "require"]


def require(holds: bool, sentence: str) -> None:
    """Refuse a value with a sentence that names the invariant, the value and the remedy."""
    if not holds:
        raise ValueError(sentence)


def positive(**values: float) -> None:
    """Refuse what is not a positive finite number; the keyword names it."""
    for name, value in values.items():
        require(0 < value < float("inf"), f"{name} must be positive and finite, got {value}")


def at_most(limit: float, **values: float) -> None:
    """Refuse what is larger than a machine could bear; the keyword names it."""
    for name, value in values.items():
        require(value <= limit, f"{name} must be at most {limit:,}, got {value}; use a smaller one")


class Config:
    """Base of frozen dataclasses that name trials: one spelling for equal values, checks at birth."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "arbitrary_types_allowed": True}

    def __post_init__(self) -> None:
        kind: Any = type(self)
        real = _real(kind)
        for field in self.declared():
            value = getattr(self, field.name)
            if isinstance(value, list) and (isinstance(self, Member) or field.name in _tuples(kind)):
                value = tuple(value)  # members are hashed
            if field.name in real:  # λ = 1 and λ = 1.0 are one config with one identity
                value = tuple(map(_as_float, value)) if isinstance(value, tuple) else _as_float(value)
            object.__setattr__(self, field.name, value)
        self._check()

    def _check(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise ``ValueError`` with a sentence for values that are out of range."""

    @classmethod
    def declared(cls) -> tuple[Field[Any], ...]:
        """The dataclass fields, in order."""
        return fields(cls)  # type: ignore[arg-type]

    def plain(self) -> dict[str, Any]:
        """Every field by name, members inside as mappings with their name: what JSON and YAML can hold."""
        return {f.name: _plain(getattr(self, f.name)) for f in self.declared()}

    @classmethod
    def of_plain(cls, told: Mapping[str, Any]) -> Self:
        """The inverse of ``plain``, from JSON too: texts become paths, and lists tuples, where types say so."""
        hints = get_type_hints(cls)
        return cls(**{f.name: _typed(told[f.name], hints[f.name]) for f in cls.declared() if f.name in told})

    def changed(self) -> dict[str, Any]:
        """The fields that differ from their defaults: a new field with a neutral default changes no identity."""
        return {f.name: _signed(v) for f in self.declared() if (v := getattr(self, f.name)) != _default(f)}


class Member(Config):
    """One member of a family.

    Attributes:
        name: what a sweep file calls it; unique in its family.
        version: raised when the same fields come to mean something else, a changed default included.
        shorthands: keys that stand for several fields: ``{"size": {"small": {"width": 8}}}``. Fields given win.
        rows: fields that may differ between trials computed together; methods then read them from ``columns``.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
    rows: ClassVar[tuple[str, ...]] = ()

    def _check(self) -> None:
        with blamed(f"check() of '{self.name}' must raise ValueError with a sentence or nothing"):
            self.check()
        self.check_answers()

    def check_answers(self) -> None:
        """Refuse a member whose methods give a planner what it cannot reckon with; for families, not for members."""

    @classmethod
    def misdeclared(cls) -> str | None:
        """What is wrong with the class itself, as the rest of a sentence that begins with it; None if nothing is."""
        if not isinstance(cls.version, int) or isinstance(cls.version, bool):
            return f"must have a whole number as version, got {written(cls.version)}"
        if not are_shorthands(cls.shorthands):
            form = '{"size": {"small": {"width": 8}}}'
            return f"must have shorthands such as {form}, got {written(cls.shorthands)}"
        known, rows = [f.name for f in cls.declared()], cls.rows
        if not isinstance(rows, tuple | list | frozenset | set) or any(row not in known for row in rows):
            return f"must have names of its fields as rows, got {written(rows)}"
        try:
            hints = get_type_hints(cls)
        except Exception as error:
            return f"must have fields of known types, got {reason(error)}"
        wrong = (misfit(f.name, hints[f.name], partial(_default, f)) for f in cls.declared())
        return next((sentence for sentence in wrong if sentence is not None), None)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """What a section of a sweep file may hold beside ``name``."""
        return (*(f.name for f in cls.declared()), *cls.shorthands)

    @classmethod
    def spelled(cls, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Shorthands replaced by the fields they stand for."""
        out: dict[str, Any] = {}
        for key, options in cls.shorthands.items():
            if key in raw:
                chosen = raw[key]
                require(
                    isinstance(chosen, str) and chosen in options,
                    f"'{key}' of {cls.name} must be one of {', '.join(options)}, got {chosen!r}",
                )
                out |= options[chosen]
        return {**out, **{key: value for key, value in raw.items() if key not in cls.shorthands}}

    @classmethod
    def summary(cls) -> str:
        """What it is, in one sentence: the first line of its docstring."""
        return (inspect.getdoc(cls) or cls.name).splitlines()[0]

    def plain(self) -> dict[str, Any]:
        """Name and every field."""
        return {"name": self.name, **super().plain()}

    def signature(self) -> list[Any]:
        """What identities are made of: name, version, the fields that differ from their defaults."""
        return [self.name, self.version, self.changed()]

    def group(self) -> tuple[Any, ...]:
        """Trials whose members have equal groups can be computed together, ``rows`` as columns."""
        return (type(self), *(getattr(self, f.name) for f in self.declared() if f.name not in self.rows))


class UnknownMember(ValueError):
    """No member of that name; ``known`` has those there are."""

    def __init__(self, noun: str, name: object, known: list[str]) -> None:
        super().__init__(f"no {noun} is called {name!r}; there are {', '.join(known)}")
        self.noun, self.asked, self.known = noun, str(name), known


M = TypeVar("M", bound=Member)


@dataclass(eq=False)
class Family(Generic[M]):
    """The members of one kind.

    Attributes:
        noun: what one member is called, and the section of a sweep file that names it.
        base: the class that members derive from.
        package: the folder whose files are our own members.
        default: the member meant where none is named.
        plural: of the noun, where it is not formed with an s.
    """

    noun: str
    base: type[M]
    package: str
    default: str
    plural: str | None = None

    def __post_init__(self) -> None:
        self._own: dict[str, type[M]] | None = None
        self._brought: dict[str, type[M]] = {}

    @property
    def group(self) -> str:
        """The entry-point group through which an installed package brings members: ``tradeoff.models``."""
        return f"tradeoff.{self.plural or self.noun + 's'}"

    def names(self) -> list[str]:
        """Names of all members, ours first; packages are named without being imported."""
        return list(dict.fromkeys([*self._ours(), *self._brought, *(e.name for e in _entries(self.group))]))

    def loaded(self) -> dict[str, type[M]]:
        """Members that are here already: ours, and those brought in; packages are left alone."""
        return {**self._ours(), **self._brought}

    def brought(self) -> list[str]:
        """Names of members from outside that are here already."""
        return list(self._brought)

    def is_ours(self, name: object) -> bool:
        """Whether a member of that name is one of this package's own."""
        return name in self._ours()

    def __getitem__(self, name: object) -> type[M]:
        """The member's class; a package that brings it is imported now."""
        loaded = self.loaded()
        if isinstance(name, str) and name in loaded:
            return loaded[name]
        for entry in _entries(self.group):
            if entry.name == name:
                return self.add(entry.load(), name=entry.name)
        raise UnknownMember(self.noun, name, self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _ours(self) -> dict[str, type[M]]:
        if self._own is None:
            own: dict[str, type[M]] = {}
            for found in pkgutil.iter_modules(import_module(self.package).__path__):
                if not found.ispkg:
                    own |= {m.name: m for m in self.defined_in(import_module(f"{self.package}.{found.name}"))}
            self._own = own
        return self._own

    def defined_in(self, module: ModuleType) -> list[type[M]]:
        """The members that a module defines: named, concrete classes of this family, in order."""
        return [
            kind
            for kind in vars(module).values()
            if isinstance(kind, type)
            and issubclass(kind, self.base)
            and kind.__module__ == module.__name__
            and isinstance(getattr(kind, "name", None), str)
            and not inspect.isabstract(kind)
        ]

    def add(self, kind: Any, name: str | None = None) -> type[M]:
        """Take in a member from outside; refuses what could not be one."""
        where = f"{getattr(kind, '__module__', '?')}.{getattr(kind, '__qualname__', kind)}"
        require(
            isinstance(kind, type) and issubclass(kind, self.base),
            f"{where} must derive from {self.base.__module__}.{self.base.__name__} to be a {self.noun}",
        )
        require(
            "__dataclass_params__" in vars(kind) and vars(kind)["__dataclass_params__"].frozen,
            f"{self.noun} {where} must be a frozen dataclass; put @dataclass(frozen=True) above it",
        )
        missing = sorted(getattr(kind, "__abstractmethods__", ()))
        require(not missing, f"{self.noun} {where} must define {', '.join(missing)}")
        require(
            isinstance(getattr(kind, "name", None), str) and kind.name.isidentifier(),
            f"{self.noun} {where} must have a name made of letters, digits and '_': name = \"mine\"",
        )
        require(
            name in (None, kind.name), f"{self.noun} {where} is called '{kind.name}', but brought as '{name}'"
        )
        bare = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
        require(not bare, f"{self.noun} {where} must give its field '{bare[0] if bare else ''}' a default")
        wrong = kind.misdeclared()
        require(wrong is None, f"{self.noun} {where} {wrong}")
        present = self._ours().get(kind.name) or self._brought.get(kind.name)
        require(
            present is None or _place(present) == _place(kind),
            f"{self.noun} '{kind.name}' exists already; give {where} another name",
        )
        member: type[M] = kind
        self._brought[member.name] = member
        return member

    def forget(self, name: str) -> None:
        """Let go of a member from outside."""
        self._brought.pop(name, None)


def _place(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


@cache
def _entries(group: str) -> tuple[Any, ...]:
    return tuple(entry_points(group=group))


@cache
def _tuples(kind: type[Config]) -> frozenset[str]:
    """Fields that are said to be tuples."""
    hints = get_type_hints(kind)
    return frozenset(f.name for f in kind.declared() if "tuple[" in str(hints[f.name]))


@cache
def _real(kind: type[Config]) -> frozenset[str]:
    """Fields that may hold real numbers, one or several."""
    hints = get_type_hints(kind)
    return frozenset(f.name for f in kind.declared() if _mentions_float(hints[f.name]))


def _mentions_float(hint: Any) -> bool:
    return hint is float or any(map(_mentions_float, get_args(hint)))


def _as_float(value: Any) -> Any:
    """A number as float; words, truth values and nothing as they are."""
    return value if isinstance(value, bool) or not isinstance(value, Real) else float(value)


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _plain(value: Any) -> Any:
    if isinstance(value, Config):
        return value.plain()
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    return str(value) if isinstance(value, PurePath) else value


def _typed(value: Any, hint: Any) -> Any:
    """A value that ``_plain`` gave, as a field's type has it; of several types the first that fits."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return next((found for part in parts if fits(found := _typed(value, part), part)), value)
    kind = origin or hint
    if not isinstance(kind, type):
        return value
    if isinstance(value, str) and issubclass(kind, PurePath):
        return kind(value)
    if isinstance(value, list) and kind is tuple:
        each = parts if parts and ... not in parts else (*parts[:1], Any)[:1] * len(value)
        return tuple(map(_typed, value, each))
    if isinstance(value, Mapping) and issubclass(kind, Config):
        return kind.of_plain(value)
    return value


def _signed(value: Any) -> Any:
    """As ``_plain``, members inside by their signatures."""
    if isinstance(value, Member):
        return value.signature()
    if isinstance(value, tuple | list):
        return [_signed(v) for v in value]
    return _plain(value)
