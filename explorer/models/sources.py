"""Which modules a model needs: found by reading what they import, without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path
from sys import modules as loaded

__all__ = ["Module", "Sources", "is_distributed", "sources_of"]

OURS = "trainables"


@dataclass(frozen=True)
class Module:
    """One file of Python: its text and, of every statement that imports, what it names."""

    name: str
    text: str
    is_package: bool
    imports: tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """Modules that go along, by name, and top-level names of what must be installed."""

    modules: dict[str, Module]
    installed: frozenset[str]


def sources_of(roots: frozenset[str], alone: str) -> Sources:
    """Some modules with all that they import, inside functions too; nothing that is imported for types alone.

    Our own modules go along, and a user's that no distribution has; what a distribution has is installed. Of the module
    that goes ``alone`` the packages around it stay behind.
    """
    carried = frozenset({OURS, *(root.partition(".")[0] for root in roots if not is_distributed(root))})
    return _sources(roots, alone, carried)


@cache
def _sources(roots: frozenset[str], alone: str, carried: frozenset[str]) -> Sources:
    found: dict[str, Module] = {}
    installed: set[str] = set()
    around: set[str] = set()
    waiting = [alone, *sorted(roots)]
    while waiting:
        name = waiting.pop()
        head = name.partition(".")[0]
        if head not in carried and name != alone:
            installed.add(head)
        elif name not in found and (module := _module(name)) is not None:
            found[name] = module
            waiting += module.imports
            if head == OURS:
                around |= set(_above(name))
            elif name != alone:
                waiting += _above(name)
    # Ours import nothing that anybody needs who does not name them; what a user's do at import is not known.
    found = {**{name: Module(name, "", True, ()) for name in around}, **found}
    return Sources(dict(sorted(found.items())), frozenset(installed))


def _above(name: str) -> Iterator[str]:
    """The packages around a module, which are imported before it."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def is_distributed(name: str) -> bool:
    """Whether pip knows the package of a module, so that a model can ask for it; ours goes along all the same."""
    head = name.partition(".")[0]
    return head not in (OURS, "explorer") and head in packages_distributions()


def _module(name: str) -> Module | None:
    """A module by its file; None where there is no such file, as of a name inside a module."""
    file = _file(name)
    if file is None or file.suffix != ".py":
        return None
    text, is_package = file.read_text(encoding="utf-8"), file.name == "__init__.py"
    return Module(name, text, is_package, tuple(_imports(ast.parse(text), name, is_package)))


def _file(name: str) -> Path | None:
    """Where a module lies: as it was loaded, since a user's own need not be on any path, else as Python would look."""
    known = getattr(loaded.get(name), "__file__", None)
    if known is not None:
        return Path(known)
    package, _, _ = name.rpartition(".")
    above = _file(package) if package else None
    if package and (above is None or above.name != "__init__.py"):
        return None
    spec = PathFinder.find_spec(name, None if above is None else [str(above.parent)])
    return Path(spec.origin) if spec is not None and spec.origin and spec.has_location else None


def _imports(tree: ast.AST, name: str, is_package: bool) -> Iterator[str]:
    """Absolute names of all that may be modules among what a module imports."""
    package = name if is_package else name.rpartition(".")[0]
    for node in _running(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            around = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*around, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{one.name}" for one in node.names)


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a module but for what only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield other
                yield from _running(other)
            continue
        yield node
        yield from _running(node)
