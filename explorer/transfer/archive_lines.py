"""A run as a line of an archive: plain JSON, numbers that are none as words, files by where they lie."""

from __future__ import annotations

import json
import math
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, cast, get_args

from explorer.errors import shown
from explorer.store.foreign import load_json
from explorer.store.schema import Status
from explorer.store.whole import Input, Point, WholeRun

__all__ = ["ArchivedFile", "ArchivedRun", "is_key", "is_path", "line_of", "read_line"]

_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_SHA = re.compile(r"[0-9a-f]{64}")
_KEY, _HALF = re.compile(r"[/\w.\- :]+"), re.compile(r"[\ud800-\udfff]")
"""What a name is of, and what no store takes: half of a character."""
LONGEST_KEY, LONGEST_PARAM, LONGEST_TAG = 250, 6000, 8000
LONGEST_INPUT_TAG = 500
_INPUT = {"name": 500, "digest": 36, "kind": 50, "source": 65_535, "schema": 1_048_575, "profile": 16_777_215}
"""Characters that MLflow takes."""
LONGEST_PATH, DEEPEST = 500, 20


@dataclass(frozen=True)
class ArchivedFile:
    """An artifact: the member that holds it, the hash of its bytes and how many they are."""

    member: str
    sha256: str
    size: int


@dataclass(frozen=True)
class ArchivedRun:
    """The run of a trial, or of the sweep itself, which has no trial; its artifacts by path."""

    trial: str | None
    run: WholeRun
    files: Mapping[str, ArchivedFile] = field(default_factory=dict)


def line_of(one: ArchivedRun) -> bytes:
    """A line, the same for the same run."""
    run = one.run
    plain = {
        "trial": one.trial,
        "name": run.name,
        "status": run.status,
        "started": run.started,
        "ended": run.ended,
        "tags": dict(run.tags),
        "params": dict(run.params),
        "metrics": {
            key: [[step, time, _plain(value)] for step, time, value in points]
            for key, points in run.histories.items()
        },
        "inputs": [{**one._asdict(), "tags": dict(one.tags)} for one in run.inputs],
        "files": {
            path: {"member": file.member, "sha256": file.sha256, "bytes": file.size}
            for path, file in one.files.items()
        },
    }
    # ASCII: what a text holds that an editor or a system takes for something else is spelled out.
    return json.dumps(plain, separators=(",", ":"), sort_keys=True, allow_nan=False).encode() + b"\n"


def _plain(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def read_line(line: bytes) -> ArchivedRun:
    """What ``line_of`` wrote; ``ValueError`` from anything else, with what is wrong."""
    raw = load_json(line)
    if not isinstance(raw, dict):
        raise ValueError("is no JSON object")
    if raw.get("status") not in get_args(Status):
        raise ValueError("has no status")
    trial = raw.get("trial")
    if trial is not None:
        trial = _text(trial, "trial", LONGEST_TAG, least=1)
    run = WholeRun(
        name=_text(raw.get("name"), "name", LONGEST_TAG),
        status=cast(Status, raw["status"]),
        started=_whole(raw.get("started"), "started"),
        ended=_whole(raw.get("ended"), "ended"),
        tags=_texts(raw.get("tags"), "tags", LONGEST_TAG),
        params=_texts(raw.get("params"), "params", LONGEST_PARAM),
        histories={
            _key(key): tuple(map(_point, _list(points)))
            for key, points in _mapping(raw.get("metrics"), "metrics").items()
        },
        inputs=tuple(map(_input, _list(raw.get("inputs", [])))),
    )
    files = {path: _file(path, told) for path, told in _mapping(raw.get("files"), "files").items()}
    _check_folders(files)
    return ArchivedRun(trial, run, files)


def is_key(key: str) -> bool:
    """Whether MLflow takes the name of a parameter, a metric or a tag: one that could be a path, spelled in one way."""
    return (
        len(key) <= LONGEST_KEY
        and _KEY.fullmatch(key) is not None
        and posixpath.normpath(key) == key
        and not key.startswith(("/", ".."))
        and key != "."
    )


def is_path(path: str) -> bool:
    """Whether a path stays inside the folder that it is taken to lie in, on any system."""
    parts = path.split("/")
    return (
        0 < len(path) <= LONGEST_PATH
        and len(parts) <= DEEPEST
        and path.isprintable()
        and not set(path) & set('\\:*?"<>|')
        and all(part.strip(" .") and len(part.encode()) <= 250 for part in parts)
    )


def _check_folders(files: Mapping[str, ArchivedFile]) -> None:
    """No file is the folder of another."""
    for path in files:
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise ValueError("has a file inside a file")


def _file(path: str, told: Any) -> ArchivedFile:
    raw = _mapping(told, "a file")
    member, sha256 = raw.get("member"), raw.get("sha256")
    if not is_path(path):
        raise ValueError("has a file whose path leads elsewhere")
    if not isinstance(member, str) or not isinstance(sha256, str) or not _SHA.fullmatch(sha256):
        raise ValueError("has a file without content")
    return ArchivedFile(member, sha256, _whole(raw.get("bytes"), "the size of a file"))


def _input(raw: Any) -> Input:
    told = _mapping(raw, "input")
    name, digest, kind, source, schema, profile = (
        _text(told.get(key), f"the {key} of an input", most) for key, most in _INPUT.items()
    )
    tags = {
        _text(key, "the name of a tag of an input", LONGEST_KEY, least=1): _text(
            value, "a tag of an input", LONGEST_INPUT_TAG
        )
        for key, value in _mapping(told.get("tags"), "tags of an input").items()
    }
    return Input(name, digest, kind, source, schema, profile, tags)


def _point(raw: Any) -> Point:
    if not isinstance(raw, list) or len(raw) != 3:
        raise ValueError("has a point that is not step, time, value")
    step, time, value = raw
    if isinstance(value, str):
        if value not in _WORDS:
            raise ValueError("has a value that is no number")
        value = _WORDS[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("has a value that is no number")
    if _whole(time, "a time") < 0:
        raise ValueError(f"tells a time of {time}, before all times")
    return Point(_whole(step, "a step"), time, float(value))


def _whole(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise ValueError(f"tells {what} that is no whole number")
    return value


def _key(key: str) -> str:
    """What MLflow would refuse is refused before anything is written."""
    if not is_key(key):
        raise ValueError(f"tells the name {shown(key)}, which MLflow does not take")
    return key


def _text(value: Any, what: str, longest: int, least: int = 0) -> str:
    if not isinstance(value, str) or not least <= len(value) <= longest:
        raise ValueError(f"tells {what} that is no text of {least} to {longest:,} characters")
    if _HALF.search(value):
        raise ValueError(f"tells {what} with half of a character")
    return value


def _texts(raw: Any, what: str, longest: int) -> dict[str, str]:
    return {_key(key): _text(value, what, longest) for key, value in _mapping(raw, what).items()}


def _mapping(raw: Any, what: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ValueError(f"has no {what}")
    return raw


def _list(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise ValueError("has no list where one belongs")
    return raw
