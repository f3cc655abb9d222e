"""Which modules a model needs: found by reading what they import, without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from sys import modules as loaded
from sys import stdlib_module_names

from explorer.models.environment import distributions

__all__ = ["Module", "Sources", "is_distributed", "sources_of"]

OURS = frozenset({"trainables", "explorer"})


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

    What a distribution has is installed; our own modules go along, and a user's that no distribution has, also those
    that lie beside the members and have none. Of the module that goes ``alone`` the packages around it stay behind.
    """
    found: dict[str, Module] = {}
    installed: set[str] = set()
    around: set[str] = set()
    distributed = distributions().keys() - OURS
    waiting = [alone, *sorted(roots)]
    while waiting:
        name = waiting.pop()
        head = name.partition(".")[0]
        if head in stdlib_module_names or head in distributed:
            installed.add(head)
        elif name not in found and (module := _module(name)) is not None:
            found[name] = module
            waiting += module.imports
            if head not in OURS:
                waiting += _above(name)
            elif name != alone:
                around |= set(_above(name))
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
    return head not in OURS and head in distributions()


def _module(name: str) -> Module | None:
    """A module that can be read, or None."""
    return _ours(name) if name.partition(".")[0] in OURS else _read(name)


@cache
def _ours(name: str) -> Module | None:
    """Our own modules are read once; a user's may be loaded again with another text."""
    return _read(name)


def _read(name: str) -> Module | None:
    """A module by its file; None where there is no such file, as of a name inside a module.

    A folder without ``__init__.py`` is an empty package.
    """
    spec = _spec(name)
    if spec is None:
        return None
    is_package = spec.submodule_search_locations is not None
    if spec.origin is None and is_package:
        return Module(name, "", True, ())
    if not spec.has_location or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    text = Path(spec.origin).read_text(encoding="utf-8")
    return Module(name, text, is_package, tuple(_imports(ast.parse(text), name, is_package)))


def _spec(name: str) -> ModuleSpec | None:
    """Where a module lies: as it was loaded, since a user's own need not be on any path, else as Python would look."""
    known = getattr(loaded.get(name), "__spec__", None)
    if isinstance(known, ModuleSpec):
        return known
    package = name.rpartition(".")[0]
    if not package:
        return PathFinder.find_spec(name)
    above = _spec(package)
    if above is None or above.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(name, list(above.submodule_search_locations))


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
