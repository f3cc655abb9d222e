"""What callers hand over, made plain or refused in one sentence before anything is done with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from explorer.errors import UserError, shown

__all__ = [
    "file_path",
    "flag",
    "is_a",
    "is_path",
    "number",
    "numbers",
    "plain_tensor",
    "text",
    "text_or_none",
    "whole_number",
]

LARGEST_WHOLE = (1 << 63) - 1


def is_a(value: object, module: str, kind: str) -> bool:
    """Whether a value is of a library's kind; the library is not loaded for it, since its values come after it."""
    return isinstance(value, getattr(sys.modules.get(module), kind, ()))


def whole_number(value: object, what: str, least: int) -> int:
    """A whole number of Python or NumPy from ``least`` to 2^63 - 1."""
    if not isinstance(value, bool) and isinstance(value, Integral) and least <= int(value) <= LARGEST_WHOLE:
        return int(value)
    raise UserError(f"{what} must be a whole number from {least} to 2^63 - 1, got {shown(value)}")


def number(value: object, what: str) -> float:
    """A real number of Python, NumPy or torch as a float."""
    plain = _item(value)
    if not isinstance(plain, bool) and isinstance(plain, Real | Decimal):
        try:
            return float(plain)
        except (OverflowError, ValueError):  # beyond all floats, a signalling NaN
            pass
    raise UserError(f"{what} must be a number, got {shown(value)}")


def numbers(values: object, what: str) -> list[float]:
    """Real numbers in their order: a list, an array, a tensor, whatever gives them one by one."""
    unordered = isinstance(values, str | bytes | bytearray | Mapping | Set)
    if unordered or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        raise UserError(
            f"{what} must be a list of numbers, got {shown(values)}; write them as [0.5, 0.3, 0.2]"
        )
    return [number(value, f"every number of {what}") for value in values]


def text(value: object, what: str) -> str:
    """Text that files and databases can hold."""
    if not isinstance(value, str):
        raise UserError(f"{what} must be text, got {shown(value)}")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise UserError(f"{what} must be text without null characters and surrogates, got {shown(value)}")
    return value


def text_or_none(value: object, what: str) -> str | None:
    """Text, or None where it is left out."""
    return None if value is None else text(value, what)


def is_path(value: object) -> bool:
    """Whether a value names a file: text, or a path that is text underneath."""
    try:
        return isinstance(value, str | os.PathLike) and isinstance(os.fspath(value), str)
    except Exception:  # of another's code
        return False


def file_path(value: Any, what: str) -> Path:
    """The path of a file or folder."""
    if not is_path(value):
        raise UserError(f"{what} must be a path, got {shown(value)}")
    try:
        valid = b"\0" not in os.fsencode(value)
    except UnicodeEncodeError:
        valid = False
    if not valid:
        raise UserError(f"{what} must be a path without null characters and surrogates, got {shown(value)}")
    return Path(value)


def flag(value: Any, what: str) -> bool:
    """True or False, also as 1 or 0, also NumPy's."""
    if is_a(value, "numpy", "bool_") or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    raise UserError(f"{what} must be True or False, got {shown(value)}")


def plain_tensor(tensor: Any) -> Any:
    """A tensor as NumPy can read it: without gradients, on the CPU, bfloat16 as float32, views carried out.

    What holds no numbers of its own raises a RuntimeError, as torch does.
    """
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    return plain.float() if str(plain.dtype) == "torch.bfloat16" else plain


def _item(value: Any) -> object:
    """The number inside an array or tensor without axes; anything else, and what is masked, as it is."""
    array = is_a(value, "numpy", "ndarray") and not is_a(value, "numpy.ma", "MaskedArray")
    tensor = is_a(value, "torch", "Tensor") and not value.is_meta
    return value.item() if (array or tensor) and value.ndim == 0 else value
