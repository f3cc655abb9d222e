"""Reading sweep files and presets, with changes from the command line laid over them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from explorer.errors import UserError
from explorer.sweep.messages import nearest
from explorer.sweep.sweep import Sweep, build_sweep

__all__ = ["list_presets", "load_sweep", "preset_text"]


class _Loader(yaml.SafeLoader):
    """YAML 1.1 reads 1e-3 as text; people mean a number."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+|\.[0-9_]+(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ),
    list("-+0123456789."),
)


def _parse(text: str, where: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark is not None else ""
        raise UserError(f"{where} is not valid YAML{line}: {getattr(error, 'problem', error)}") from error


def list_presets() -> dict[str, str]:
    """Names of the presets that ship with the package → their descriptions."""
    found = {}
    for entry in sorted(files("explorer").joinpath("presets").iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".yaml"):
            raw = _parse(entry.read_text(encoding="utf-8"), entry.name)
            found[entry.name.removesuffix(".yaml")] = str(raw.get("description", "")).strip()
    return found


def preset_text(name: str) -> str:
    """The YAML of a preset."""
    return files("explorer").joinpath("presets", f"{name}.yaml").read_text(encoding="utf-8")


def _read(source: str) -> tuple[dict[str, Any], Path]:
    """The document of a file or preset, and the folder beside which its plugins lie."""
    path = Path(source)
    if path.suffix in (".yaml", ".yml") or path.is_file():
        if not path.is_file():
            raise UserError(f"there is no sweep file '{source}'")
        try:
            text, where, stem = path.read_text(encoding="utf-8"), source, path.stem
            folder = path.resolve().parent
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"the sweep file '{source}' cannot be read as UTF-8 text: {error}") from error
    else:
        presets = list_presets()
        if source not in presets:
            raise UserError(f"'{source}' is neither a file nor a preset{nearest(source, presets)}")
        text, where, stem, folder = preset_text(source), f"preset {source}", source, Path.cwd()
    raw = _parse(text, where)
    if not isinstance(raw, dict):
        raise UserError(f"{where} must hold keys such as dataset and space, got {type(raw).__name__}")
    return {"name": stem, **raw}, folder


def _assign(raw: dict[str, Any], assignment: str) -> None:
    path, separator, text = assignment.partition("=")
    if not separator or not path:
        raise UserError(f"--set takes path=value, got '{assignment}'")
    value = _parse(text, f"--set {path}")
    head, _, rest = path.partition(".")
    if head == "space" and rest:
        boxes = raw.get("space") or {}
        if isinstance(boxes, list):
            raise UserError(
                f"--set {path}: this sweep's space is a list; use --set space={{...}} to replace it whole"
            )
        raw["space"] = {**boxes, rest: value}
        return
    target = raw
    *parents, last = path.split(".")
    for parent in parents:
        inner = target.get(parent)
        target[parent] = dict(inner) if isinstance(inner, Mapping) else {}
        target = target[parent]
    target[last] = value


def load_sweep(
    source: str,
    assignments: Sequence[str] = (),
    trials: int | None = None,
    seeds: int | None = None,
) -> Sweep:
    """A sweep from a file or preset, with ``path=value`` assignments laid over it."""
    raw, folder = _read(source)
    for assignment in assignments:
        _assign(raw, assignment)
    if trials is not None:
        _assign(raw, f"search.trials={trials}")
    if seeds is not None:
        _assign(raw, f"seeds={seeds}")
    return build_sweep(raw, folder)
