"""What classes written by others declare, and what their code raises, told in sentences."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, Literal, Union, get_args, get_origin

__all__ = ["are_counts", "are_shorthands", "blamed", "fits", "misfit", "reason", "written"]


def written(value: object, room: int = 60) -> str:
    """A value as Python writes it, cut to ``room`` characters; its kind where it cannot be written."""
    try:
        text = repr(value)
    except Exception:
        text = f"a value of {type(value).__name__} that cannot be written"
    return text if len(text) <= room else f"{text[: room - 1]}…"


def reason(error: BaseException) -> str:
    """Kind and first line of an exception, its kind alone where its text cannot be read."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    return ": ".join([type(error).__name__, *lines[:1]])


@contextmanager
def blamed(promise: str) -> Iterator[None]:
    """Code of a member refuses by ``ValueError``; whatever else it raises breaks its ``promise``, and is said so."""
    try:
        yield
    except ValueError:
        raise
    except (Exception, SystemExit) as error:
        raise ValueError(f"{promise}, but it raised {reason(error)}") from error


def are_counts(value: object, least: int = 0) -> bool:
    """A tuple or list of whole numbers, each at least so large."""
    return isinstance(value, tuple | list) and all(_is_whole(one) and one >= least for one in value)


def _is_whole(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral)


def are_shorthands(value: object) -> bool:
    """Words within words within fields."""
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(options, Mapping) and all(map(_is_option, options.items()))
        for key, options in value.items()
    )


def _is_option(item: tuple[object, object]) -> bool:
    word, meant = item
    return isinstance(word, str) and isinstance(meant, Mapping) and all(isinstance(key, str) for key in meant)


def misfit(name: str, hint: Any, default_of: Callable[[], Any]) -> str | None:
    """Why a field's default cannot be had, or is not of the field's type; None if it is."""
    if isinstance(hint, tuple | list | dict | set | str | Real):
        return f"must give its field '{name}' a type such as tuple[float, ...], got {written(hint)}"
    try:
        default = default_of()
    except Exception as error:
        return f"must give its field '{name}' a default, but its factory raised {reason(error)}"
    if not _is_plain(default):
        return (
            f"must give its field '{name}' a number, text, truth value, path or tuple, got {written(default)}"
        )
    if fits(default, hint):
        return None
    kind = hint.__name__ if isinstance(hint, type) else str(hint)
    return f"must give its field '{name}' a default of type {kind}, got {written(default)}"


def _is_plain(value: object) -> bool:
    """Whether a value can stand in a sweep file and in a name: what JSON holds, paths, and configs of such."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    return value is None or isinstance(value, bool | int | float | str | PurePath) or hasattr(value, "plain")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as can be told; whole numbers are real ones, lists become tuples."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if hint in (int, float):
        return isinstance(value, int if hint is int else Real) and not isinstance(value, bool)
    if (origin or hint) in (tuple, list):
        if not isinstance(value, tuple | list):
            return False
        if origin is tuple and parts and ... not in parts:
            return len(value) == len(parts) and all(map(fits, value, parts))
        return all(fits(one, parts[0]) for one in value) if parts else True
    try:
        return isinstance(value, origin or hint)
    except TypeError:  # a type of which nothing is an instance: Any, a protocol, an alias
        return True
