"""The modules of a model under a name of their own, so that they meet no other version of themselves.

Whoever loads a model may have this package installed, newer or older, and may load models of several versions. So what
goes along is no package ``trainables`` but a part of a package named after its content, and its imports say so.
"""

from __future__ import annotations

import ast
import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from explorer.models.sources import Module, sources_of

__all__ = ["Code", "code_of"]

LOADER = "explorer.models.served"
"""What MLflow calls; it becomes the module ``served`` of the package."""

PACKAGE = '''"""The code of a model of Tradeoff Explorer, as it was when the model was made."""

import os

# Modules lie in an archive, which is one file to store instead of many.
__path__.append(os.path.join(os.path.dirname(__file__), "modules.zip"))


def _load_pyfunc(path):
    """What MLflow calls with the place of the model's data."""
    from {package}.served import load

    return load(path)
'''


@dataclass(frozen=True)
class Code:
    """The package of a model.

    Attributes:
        package: its name, which says what is in it.
        files: what lies in the model's folder of code, by name.
        installed: top-level names of modules that must be installed.
    """

    package: str
    files: Mapping[str, bytes]
    installed: frozenset[str]
    _carried: frozenset[str]

    def renamed(self, module: str) -> str:
        """What a module is called in the package, if it goes along; else as it is."""
        return f"{self.package}.{module}" if module.partition(".")[0] in self._carried else module


@cache
def code_of(roots: frozenset[str]) -> Code:
    """The package of models whose members are defined in some modules; equal sources give equal bytes."""
    found = sources_of(roots, LOADER)
    kept = found.modules
    content = "".join(f"{name}\0{module.text}\0" for name, module in kept.items())
    package = f"tradeoff_{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    carried = frozenset(name.partition(".")[0] for name in kept if name != LOADER)
    files = {
        f"{package}/__init__.py": PACKAGE.format(package=package).encode(),
        f"{package}/modules.zip": _archive(kept, package, carried),
    }
    return Code(package, files, found.installed, carried)


def _archive(modules: Mapping[str, Module], package: str, carried: frozenset[str]) -> bytes:
    """The modules, as an archive in which Python finds them; nothing in it tells of a time or a machine."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, module in modules.items():
            place = "served" if name == LOADER else name.replace(".", "/")
            file = zipfile.ZipInfo(f"{place}/__init__.py" if module.is_package else f"{place}.py")
            file.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(file, _renamed(module.text, package, carried))
    return data.getvalue()


def _renamed(text: str, package: str, carried: frozenset[str]) -> str:
    """A module's text, whose imports of what goes along name the package."""
    lines = text.split("\n")  # as Python counts them: a form feed ends none
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        told = _statement(node, package, carried)
        if told is not None and node.end_lineno is not None:
            first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
            # Columns are counted in bytes, and what stands before and behind a statement stays.
            before = first.encode()[: node.col_offset].decode()
            behind = last.encode()[node.end_col_offset :].decode()
            lines[node.lineno - 1 : node.end_lineno] = [f"{before}{told}{behind}"]
    return "\n".join(lines)


def _statement(node: ast.Import | ast.ImportFrom, package: str, carried: frozenset[str]) -> str | None:
    """An import that names the package; None for one that may stay."""
    if isinstance(node, ast.ImportFrom):
        if node.level or (node.module or "").partition(".")[0] not in carried:
            return None
        return ast.unparse(ast.ImportFrom(f"{package}.{node.module}", node.names, 0))
    if not any(one.name.partition(".")[0] in carried for one in node.names):
        return None
    return "; ".join(_import(one, package, carried) for one in node.names)


def _import(one: ast.alias, package: str, carried: frozenset[str]) -> str:
    head = one.name.partition(".")[0]
    if head not in carried:
        return ast.unparse(ast.Import([one]))
    if one.asname:
        return f"import {package}.{one.name} as {one.asname}"
    return f"import {package}.{one.name}, {package}.{head} as {head}"
