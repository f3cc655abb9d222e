"""YAML as a sweep file may use it: plain data of bounded size, each key once, refused in one sentence with its line."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

from explorer.errors import UserError, brief, shown

__all__ = ["DEEPEST", "LARGEST_BYTES", "LARGEST_WHOLE", "MOST_VALUES", "check_text", "parse_yaml"]

LARGEST_BYTES = 256 * 1024
"""Size of a sweep file."""

MOST_VALUES = 5_000
"""Keys and values of a document, those behind aliases counted as often as they are used."""

DEEPEST = 20
"""Sections within sections."""

LARGEST_WHOLE = 2**63
"""Whole numbers lie below it, negative ones above its negative."""

_UNPRINTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class _Refused(yaml.YAMLError):
    """A document that is YAML, but not such as we read."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem)
        self.problem, self.problem_mark = problem, mark


class _Loader(yaml.SafeLoader):
    """Counts what it composes, so that nothing is built of a document that is too large, too deep or endless.

    An alias counts as all that stands behind it: whoever walks the data later walks at most ``MOST_VALUES`` values.
    """

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own registry, filled below

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._values = 0
        self._depth = 0
        self._sizes: dict[int, int] = {}  # by id of a node that is complete

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """One value and all that is inside; O(1) for an alias."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            node: Any = super().compose_node(parent, index)
            if id(node) not in self._sizes:
                problem = f"the alias *{brief(str(event.anchor))} stands inside what it names; write it out"
                raise _Refused(problem, event.start_mark)
            self._count(self._sizes[id(node)], event)
            return node  # type: ignore[no-any-return]
        if getattr(event, "tag", None) is not None:
            raise _Refused(f"the tag {brief(event.tag)} is not read; remove it", event.start_mark)
        before, self._depth = self._values, self._depth + 1
        if self._depth > DEEPEST:
            raise _Refused(f"at most {DEEPEST} sections lie within each other", event.start_mark)
        self._count(1, event)
        node = super().compose_node(parent, index)
        self._depth -= 1
        self._sizes[id(node)] = self._values - before
        return node  # type: ignore[no-any-return]

    def _count(self, more: int, event: Any) -> None:
        self._values += more
        if self._values > MOST_VALUES:
            raise _Refused(
                f"a document holds at most {MOST_VALUES:,} values, aliases written out", event.start_mark
            )

    def compose_scalar_node(self, anchor: Any) -> ScalarNode:
        """Text without control characters: no path, name or message has a use for them."""
        node = super().compose_scalar_node(anchor)
        odd = _UNPRINTED.search(node.value)
        if odd:
            raise _Refused(f"text holds the control character U+{ord(odd[0]):04X}", node.start_mark)
        return node

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        """Keys are words, each given once."""
        node = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                raise _Refused("a key must be one word, not a list or section", key.start_mark)
            if key.value in lines:
                raise _Refused(
                    f"key {shown(key.value)} is given twice, first at line {lines[key.value]}; keep one",
                    key.start_mark,
                )
            lines[key.value] = key.start_mark.line + 1
        return node


def _whole(loader: _Loader, node: ScalarNode) -> int:
    # Python takes quadratic time for long numerals, and refuses the longest with an error of its own.
    value = int(node.value.replace("_", ""), 0 if "x" in node.value else 10) if len(node.value) < 40 else None
    if value is None or not -LARGEST_WHOLE < value < LARGEST_WHOLE:
        raise _Refused(
            f"whole numbers lie within ±2^63, got {brief(node.value)}; write large ones as 1e20",
            node.start_mark,
        )
    return value


def _real(loader: _Loader, node: ScalarNode) -> float:
    text = node.value.replace("_", "").lower()
    if text.endswith((".inf", ".nan")):
        return float(text.replace(".", ""))
    value = float(text)
    if abs(value) == float("inf"):
        raise _Refused(f"numbers lie within ±1.8e308, got {brief(node.value)}", node.start_mark)
    return value


# YAML 1.1 reads 1e-3 as text, 010 as eight, 1:30 as ninety and 2001-01-01 as a date;
# people mean two numbers and two texts.
for _tag in ("null", "bool", "merge"):
    for _first, _known in yaml.SafeLoader.yaml_implicit_resolvers.items():
        _Loader.yaml_implicit_resolvers.setdefault(_first, []).extend(
            pair for pair in _known if pair[0] == f"tag:yaml.org,2002:{_tag}"
        )
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"[-+]?(?:0x[0-9a-fA-F]+|[0-9][0-9_]*)\Z"),
    list("-+0123456789"),
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"(?:[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
    ),
    list("-+0123456789."),
)
_Loader.add_constructor("tag:yaml.org,2002:int", _whole)
_Loader.add_constructor("tag:yaml.org,2002:float", _real)


def parse_yaml(text: str, where: str) -> Any:
    """Plain data from YAML text. O(length); refuses what is larger than the limits before building it."""
    if len(text) > LARGEST_BYTES:
        raise UserError(f"{where} must hold at most {LARGEST_BYTES // 1024} KiB; it is larger")
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark is not None else ""
        if isinstance(error, _Refused):
            raise UserError(f"{where} cannot be read{line}: {error.problem}") from None
        if isinstance(error, yaml.reader.ReaderError):
            line = f" at line {text.count(chr(10), 0, error.position) + 1}"
            code: Any = error.character
            problem = f"text holds the control character U+{code if isinstance(code, int) else ord(code):04X}"
            raise UserError(f"{where} cannot be read{line}: {problem}") from None
        problem = getattr(error, "problem", None) or "its syntax is wrong"
        if "another document" in problem:
            problem = "it holds several documents; put each into a file of its own"
        raise UserError(f"{where} is not valid YAML{line}: {problem}") from None
    except (ValueError, OverflowError):  # raised by the scanner itself, which knows no line then
        raise UserError(
            f"{where} is not valid YAML: it holds a character or a number that is beyond all there are"
        ) from None


def check_text(text: str, what: str) -> None:
    """Refuse control characters in text that did not come through YAML: an argument, a path."""
    odd = _UNPRINTED.search(text)
    if odd:
        raise UserError(
            f"{what} must be plain text, got the control character U+{ord(odd[0]):04X} in {shown(text)}"
        )
