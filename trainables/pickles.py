"""A pickle of tensors read as data: nothing it names is imported, called or made.

``torch.save`` writes tensors, and dictionaries, lists and tuples of them, with thirty opcodes. They are followed here
one by one; what they would call becomes a ``Call``, what they keep elsewhere is asked of ``stored``.
"""

from __future__ import annotations

import pickletools
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

__all__ = ["Call", "Name", "read_pickle"]


class Name(NamedTuple):
    """Something the pickle would import, as ``module.name``."""

    words: str


class Call(NamedTuple):
    """Something the pickle would call."""

    name: str
    arguments: tuple[Any, ...]


def read_pickle(content: bytes, known: Collection[str], stored: Callable[[Any], Any]) -> Any:
    """The value of a pickle of protocol 2 to 5 that names only what is ``known``, as ``module.name``. O(len) time.

    An exception, mostly ValueError, if it holds more than tensors need.
    """
    machine = _Machine(known, stored)
    for opcode, argument, _ in pickletools.genops(content):
        machine.step(opcode.name, argument)
    (value,) = machine.stack
    return value


class _Machine:
    """The stack, its marks and the memo of a pickle."""

    def __init__(self, known: Collection[str], stored: Callable[[Any], Any]) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._known = known
        self._stored = stored

    def step(self, opcode: str, argument: Any) -> None:
        match opcode:
            case "STOP" | "FRAME":
                pass
            case "PROTO" if 2 <= argument <= 5:
                pass
            case "BININT" | "BININT1" | "BININT2" | "LONG1" | "BINFLOAT" | "BINUNICODE" | "SHORT_BINUNICODE":
                self.stack.append(argument)
            case "NONE" | "NEWTRUE" | "NEWFALSE":
                self.stack.append({"NONE": None, "NEWTRUE": True, "NEWFALSE": False}[opcode])
            case "EMPTY_DICT" | "EMPTY_LIST" | "EMPTY_TUPLE":
                self.stack.append({"EMPTY_DICT": {}, "EMPTY_LIST": [], "EMPTY_TUPLE": ()}[opcode])
            case "MARK":
                self._marks.append(len(self.stack))
            case "TUPLE":
                self.stack.append(tuple(self._taken(self._marks.pop())))
            case "TUPLE1" | "TUPLE2" | "TUPLE3":
                self.stack.append(tuple(self._taken(len(self.stack) - int(opcode[-1]))))
            case "BINPUT" | "LONG_BINPUT":
                self._memo[argument] = self.stack[-1]
            case "MEMOIZE":
                self._memo[len(self._memo)] = self.stack[-1]
            case "BINGET" | "LONG_BINGET":
                self.stack.append(self._memo[argument])
            case "GLOBAL":
                self.stack.append(self._name(argument.replace(" ", ".")))
            case "STACK_GLOBAL":
                self.stack.append(self._name(".".join(map(str, self._taken(len(self.stack) - 2)))))
            case "BINPERSID":
                self.stack.append(self._stored(self.stack.pop()))
            case "SETITEM" | "SETITEMS" | "APPEND" | "APPENDS":
                self._fill(opcode)
            case "REDUCE":
                self._call()
            case "BUILD":
                self._mark()
            case _:
                raise ValueError(f"it has the pickle opcode {opcode}, which tensors do not need")

    def _name(self, words: str) -> Name:
        if words not in self._known:
            raise ValueError(f"it needs {words[:60]}, which is no plain tensor")
        return Name(words)

    def _taken(self, start: int) -> list[Any]:
        if start < 0:
            raise ValueError("its pickle is damaged")
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def _fill(self, opcode: str) -> None:
        """Into a list, or into a dictionary by keys that are words or numbers: to hash others may take for ever."""
        single = {"APPEND": 1, "SETITEM": 2}
        values = self._taken(len(self.stack) - single[opcode] if opcode in single else self._marks.pop())
        target = self.stack[-1]
        if opcode.startswith("APPEND") and isinstance(target, list):
            target += values
            return
        keys = values[::2]
        if not isinstance(target, dict) or not all(isinstance(key, str | int) for key in keys):
            raise ValueError("it has a dictionary whose keys are no words")
        target.update(zip(keys, values[1::2], strict=True))

    def _mark(self) -> None:
        """An ordered dictionary may have attributes, as the version of a state dict; they are passed over."""
        target, _ = self._taken(len(self.stack) - 2)
        if not isinstance(target, OrderedDict):
            raise ValueError("it has an object with attributes, which tensors do not need")
        self.stack.append(target)

    def _call(self) -> None:
        callee, arguments = self._taken(len(self.stack) - 2)
        if not isinstance(callee, Name) or not isinstance(arguments, tuple):
            raise ValueError("its pickle is damaged")
        ordered = (
            callee.words == "collections.OrderedDict" and not arguments
        )  # to be filled as any dictionary
        self.stack.append(OrderedDict() if ordered else Call(callee.words, arguments))
