"""Reading sweep files and presets, with changes from the command line laid over them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from explorer.errors import UserError, brief, shown
from explorer.sweep.loading import DEEPEST, LARGEST_BYTES, check_text, parse_yaml
from explorer.sweep.sweep import Sweep, build_sweep
from explorer.sweep.values import plain_mapping, plain_value
from trainables.nearest import nearest

__all__ = ["assign", "assignment", "list_presets", "load_sweep", "preset_names", "preset_text"]


def preset_names() -> list[str]:
    """Names of the presets that ship with the package, by the alphabet."""
    entries = files("explorer").joinpath("presets").iterdir()
    return sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml"))


def list_presets() -> dict[str, str]:
    """Names of the presets → their descriptions."""
    documents = {name: parse_yaml(preset_text(name), f"preset {name}") for name in preset_names()}
    return {name: str(raw.get("description", "")).strip() for name, raw in documents.items()}


def preset_text(name: str) -> str:
    """The YAML of a preset."""
    return files("explorer").joinpath("presets", f"{name}.yaml").read_text(encoding="utf-8")


def _read(source: str) -> tuple[dict[str, Any], Path]:
    """The document of a file or preset, and the folder beside which its plugins lie."""
    check_text(source, "a sweep file's name")
    path = Path(source)
    if path.suffix in (".yaml", ".yml") or _is_file(path):
        text, where, stem = _text(path), f"the sweep file {shown(source, 120)}", path.stem
        folder = path.resolve().parent
    else:
        presets = preset_names()
        if source not in presets:
            raise UserError(f"{shown(source)} is neither a file nor a preset{nearest(source, presets)}")
        text, where, stem, folder = preset_text(source), f"preset {source}", source, Path.cwd()
    raw = parse_yaml(text, where)
    if not isinstance(raw, dict):
        got = "nothing" if raw is None else shown(raw)
        raise UserError(f"{where} must hold keys such as dataset and space, got {got}")
    return {"name": stem, **raw}, folder


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that may not be looked into
        return False


def _text(path: Path) -> str:
    """The file's text, if it is one of a bearable size."""
    name = shown(str(path), 120)
    try:
        if not path.exists():
            raise UserError(f"there is no sweep file {name}")
        if not path.is_file():
            raise UserError(f"a sweep file must be a file, got the folder or device {name}")
        with path.open("rb") as file:
            raw = file.read(LARGEST_BYTES + 1)
        if len(raw) > LARGEST_BYTES:
            raise UserError(f"a sweep file must hold at most {LARGEST_BYTES // 1024} KiB, {name} is larger")
        return raw.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else f"{error.reason} at byte {error.start}"
        raise UserError(f"the sweep file {name} cannot be read as UTF-8 text: {why}") from None


def _given(source: Mapping[str, Any]) -> tuple[dict[str, Any], Path]:
    """A document from Python, and the current folder, beside which its plugins lie."""
    return {"name": "sweep", **plain_mapping(source, "a sweep")}, Path.cwd()


def assignment(text: str) -> tuple[str, Any]:
    """``path=value`` → path and value."""
    path, separator, value = text.partition("=")
    if not separator or not path:
        raise UserError(f"--set takes path=value, got {shown(text)}")
    return path, parse_yaml(value, f"--set {brief(path)}")


def assign(raw: dict[str, Any], path: str, value: Any) -> None:
    """Lay a value over a document at a dotted path."""
    check_text(path, "the path of a change")
    head, _, rest = path.partition(".")
    if head == "space" and rest:
        boxes = raw.get("space") or {}
        if not isinstance(boxes, Mapping):
            kind = "a list" if isinstance(boxes, list) else shown(boxes)
            raise UserError(
                f"'{brief(path)}' cannot be set: this sweep's space is {kind}; set space itself to replace it whole"
            )
        raw["space"] = {**boxes, rest: value}
        return
    target = raw
    *parents, last = path.split(".")
    if len(parents) >= DEEPEST:
        raise UserError(
            f"the path of a change has at most {DEEPEST} parts, got {len(parents) + 1} in {shown(path)}"
        )
    for depth, parent in enumerate(parents, start=1):
        inner = target.get(parent)
        if inner is not None and not isinstance(inner, Mapping):
            above = brief(".".join(parents[:depth]))
            raise UserError(
                f"'{brief(path)}' cannot be set: '{above}' is {shown(inner)} and has no keys; "
                f"set {above} itself to replace it whole"
            )
        target[parent] = dict(inner or {})
        target = target[parent]
    target[last] = value


def load_sweep(
    source: str | os.PathLike[str] | Mapping[str, Any],
    changes: Sequence[str] | Mapping[str, Any] = (),
    trials: int | None = None,
    seeds: int | Sequence[int] | None = None,
) -> Sweep:
    """A sweep from a file, preset or mapping, with ``path=value`` texts or values by path laid over it."""
    raw, folder = _given(source) if isinstance(source, Mapping) else _read(os.fspath(source))
    if isinstance(changes, Mapping):
        laid = list(plain_mapping(changes, "changes").items())
    else:
        laid = [assignment(text) for text in changes]
    for path, value in laid:
        assign(raw, path, value)
    if trials is not None:
        assign(raw, "search.trials", plain_value(trials, "trials"))
    if seeds is not None:
        assign(raw, "seeds", plain_value(seeds, "seeds"))
    file = "" if isinstance(source, Mapping) else _where(os.fspath(source))
    return replace(build_sweep(raw, folder), file=file)


def _where(source: str) -> str:
    """The whole path of a file; the name of a preset."""
    return str(Path(source).resolve()) if _is_file(Path(source)) else source
