"""Members that come with a sweep: modules beside the sweep file, or installed ones.

Only a launch imports them. What is read back from the tracking store never does.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from explorer.errors import UserError, brief
from explorer.search import SEARCHES
from explorer.stopping import STOPPERS
from trainables.config import FAMILIES
from trainables.declarations import reason
from trainables.extractors import EXTRACTORS
from trainables.family import Family
from trainables.metrics import METRICS
from trainables.paths import check_path
from trainables.refinements import REFINEMENTS

__all__ = ["ALL_FAMILIES", "Plugin", "find_plugins", "import_plugins", "may_name", "of_members"]

MOST_PLUGINS = 100

_MARK = "__tradeoff_plugin__"
"""Attribute of modules that were imported from beside a sweep file."""

ALL_FAMILIES: tuple[Family[Any], ...] = (
    *dict.fromkeys(FAMILIES.values()), REFINEMENTS, EXTRACTORS, METRICS, SEARCHES, STOPPERS
)  # fmt: skip


@dataclass(frozen=True)
class Plugin:
    """A module with members.

    Attributes:
        module: the name under which it is imported.
        path: its file, or its folder if it is a package, where it lies beside the sweep file: that is shipped to the
            workers. None for an installed module, which they must have.
    """

    module: str
    path: str | None = None


def find_plugins(names: Sequence[str], folder: Path) -> tuple[Plugin, ...]:
    """Where the modules of a sweep file in ``folder`` are; ``mine``, ``mine.py`` and ``installed.package`` all do."""
    if len(names) > MOST_PLUGINS:
        raise UserError(f"plugins must be at most {MOST_PLUGINS} modules, got {len(names)}")
    return tuple(_find(name, folder) for name in names)


def _find(name: str, folder: Path) -> Plugin:
    try:
        check_path("a plugin", name)
    except ValueError as error:
        raise UserError(str(error)) from None
    place = folder / name if name.endswith(".py") else folder / f"{name}.py"
    if place.is_file() and place.stem.isidentifier():
        return Plugin(place.stem, str(place.resolve()))
    if (folder / name / "__init__.py").is_file() and name.isidentifier():
        return Plugin(name, str((folder / name).resolve()))
    if not name.endswith(".py") and all(part.isidentifier() for part in name.split(".")):
        if name.partition(".")[0] in _underneath():
            raise UserError(
                f"plugin '{name}' must be a module with members of yours, and this one is of a package that we use "
                "ourselves; leave it out"
            )
        try:
            if importlib.util.find_spec(name) is not None:
                return Plugin(name)
        except KeyboardInterrupt:
            raise
        except BaseException:  # the package around it fails to import, or it is no module at all
            pass
    raise UserError(
        f"plugin '{name}' was not found: there is no {place.name} beside the sweep file (in {folder}), "
        "and no installed module of that name"
    )


@cache
def _underneath() -> frozenset[str]:
    """Modules of what this package requires, which can bring no members; some take seconds to import."""
    from importlib.metadata import PackageNotFoundError, packages_distributions, requires

    try:
        wanted = {re.split(r"[^\w.-]", line)[0].lower() for line in requires("tradeoff-explorer") or ()}
    except PackageNotFoundError:  # run from its source, not installed
        return frozenset()
    return frozenset(
        module
        for module, packages in packages_distributions().items()
        if wanted & {package.lower() for package in packages}
    )


def import_plugins(plugins: Iterable[Plugin]) -> None:
    """Import the modules and take in the members they define; those of a local module are imported from its path."""
    for plugin in plugins:
        module = _import(plugin)
        try:
            found = _take_in(plugin, module)
        except UserError:
            raise
        except (Exception, SystemExit) as error:  # of what it defines, looked at from outside
            raise UserError(f"plugin '{plugin.module}' cannot be read: {reason(error)}") from error
        if not found:
            nouns = ", ".join(family.noun for family in ALL_FAMILIES)
            raise UserError(f"plugin '{plugin.module}' defines no member of any family ({nouns})")


def may_name(plugins: Iterable[Plugin], kind: type) -> bool:
    """Whether a sweep with these modules may name a member: not one from beside another sweep of this process."""
    return any(kind.__module__ == plugin.module for plugin in plugins) or not hasattr(
        sys.modules.get(kind.__module__), _MARK
    )


def _take_in(plugin: Plugin, module: ModuleType) -> int:
    """How many members a module defines; they are known from now on."""
    found = 0
    for family in ALL_FAMILIES:
        for kind in family.defined_in(module):
            try:
                family.add(kind)
            except ValueError as error:
                raise UserError(f"plugin '{plugin.module}': {error}") from error
            found += 1
        _refuse_unfinished(plugin, module, family)
    return found


@contextmanager
def of_members() -> Iterator[None]:
    """What is raised where members are asked is told as a fault of those from outside; without any, it is ours."""
    try:
        yield
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        brought = [f"{family.noun} '{name}'" for family in ALL_FAMILIES for name in family.brought()]
        if not brought:
            raise
        raise UserError(
            f"members from outside must answer when a sweep is planned, but {brief(' or '.join(brought), 80)} raised "
            f"{reason(error)}"
        ) from error


def _refuse_unfinished(plugin: Plugin, module: ModuleType, family: Family[Any]) -> None:
    """A class that was meant to be a member but lacks methods is named, not passed over."""
    kinds: list[Any] = list(vars(module).values())
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, family.base) and kind.__module__ == module.__name__:
            missing = sorted(getattr(kind, "__abstractmethods__", ()))
            if missing and "name" in vars(kind):
                raise UserError(
                    f"plugin '{plugin.module}': {family.noun} '{vars(kind)['name']}' must define {', '.join(missing)}"
                )


def _import(plugin: Plugin) -> ModuleType:
    loaded = sys.modules.get(plugin.module)
    if plugin.path is not None and Path(plugin.path).exists():
        root = Path(plugin.path)
        file = root / "__init__.py" if root.is_dir() else root
        if loaded is not None and Path(getattr(loaded, "__file__", None) or "").resolve() == file:
            return loaded
        ours = loaded is None or hasattr(loaded, _MARK)
        if not ours or _hides_another(plugin.module, root.parent, file):
            raise UserError(f"plugin '{plugin.module}' would hide a module of that name; rename the file")
        return _import_file(plugin.module, file, root if root.is_dir() else None)
    try:  # installed, or shipped by Ray
        return importlib.import_module(plugin.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may raise anything
        raise UserError(_sentence(plugin.module, error)) from error


def _hides_another(name: str, folder: Path, file: Path) -> bool:
    """Whether Python would find a module of that name, loaded or not, elsewhere than in the plugin's own folder.

    Copies are no other module: Ray ships them. Nor are folders that merely bear the name.
    """
    from importlib.metadata import packages_distributions  # here: most sweeps have no plugins

    if name in sys.stdlib_module_names:
        return True
    for spec in _specs(name, folder):
        if spec.loader is None or spec.origin is None:  # a folder without __init__.py
            if name in packages_distributions():
                return True
        elif not spec.has_location or not _is_copy(Path(spec.origin), file):
            return True
    return False


def _specs(name: str, folder: Path) -> Iterator[ModuleSpec]:
    """All that Python's finders have under a name, of the path every entry but ``folder``."""
    elsewhere = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    for finder in sys.meta_path:
        for path in [[entry] for entry in elsewhere] if finder is PathFinder else [None]:
            spec = finder.find_spec(name, path)
            if spec is not None:
                yield spec


def _is_copy(other: Path, file: Path) -> bool:
    return other.is_file() and (other.resolve() == file or other.read_bytes() == file.read_bytes())


def _import_file(name: str, file: Path, package: Path | None) -> ModuleType:
    places = [str(package)] if package else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=places)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    setattr(module, _MARK, True)
    before = sys.modules.get(name)
    for family in ALL_FAMILIES:  # members of a module that this one replaces
        for kind in family.defined_in(before) if before is not None else ():
            family.forget(kind.name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # a module may raise anything
        sys.modules.pop(name, None)
        if isinstance(error, KeyboardInterrupt):
            raise
        raise UserError(_sentence(name, error)) from error
    return module


def _sentence(name: str, error: BaseException) -> str:
    where = f" at line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
    return f"plugin '{name}' cannot be imported{where}: {reason(error)}"
