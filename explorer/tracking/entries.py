"""What there is to tell of a trial, one piece at a time: plain values that can wait in a file."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.store import schema
from explorer.store.schema import Scalar

__all__ = [
    "Data",
    "Entry",
    "Fail",
    "Files",
    "Finish",
    "Log",
    "Note",
    "Start",
    "Summary",
    "TrialRun",
    "What",
    "now",
]


class Data(NamedTuple):
    """What a trial trains on, as MLflow knows datasets: a name, a digest of the content, and where it is from."""

    name: str
    digest: str
    source: str


class TrialRun(NamedTuple):
    """A trial as its run begins.

    ``name`` is for people, its identity if it is empty; ``tags`` say where it comes from; ``files`` are artifacts.
    """

    trial: str
    params: Mapping[str, Scalar]
    name: str = ""
    tags: Mapping[str, str] = {}
    data: Data | None = None
    files: Mapping[str, bytes | str] = {}


class Summary(NamedTuple):
    """What a sweep's own run says of the whole: as of ``step`` finished trials, numbers, tags and files by name."""

    step: int
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    files: Mapping[str, bytes | str]


@dataclass(frozen=True)
class Start:
    """Its run is to be open; that of a finished trial that is ``only_read`` again stays finished."""

    params: Mapping[str, Scalar]
    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    data: Data | None = None
    only_read: bool = False


@dataclass(frozen=True)
class Log:
    """An evaluation at a step; a final one has the marks of its readings and its α_λ."""

    step: int
    metrics: Mapping[str, float]
    marks: Mapping[schema.At, str] | None = None
    alphas: str | None = None


@dataclass(frozen=True)
class Note:
    """Tags that its run is to have, and on what it turned out to train."""

    tags: Mapping[str, str]
    data: Data | None = None


@dataclass(frozen=True)
class Files:
    """Artifacts: relative names, each with the digest under which its content is kept."""

    files: Mapping[str, str]


@dataclass(frozen=True)
class Finish:
    """It ended well, or was ``stopped`` early: by whom and why."""

    stopped: str | None = None


@dataclass(frozen=True)
class Fail:
    """It ended badly: why, and of which kind that is."""

    reason: str
    kind: str = "raised"


What = Start | Log | Note | Files | Finish | Fail

_KINDS: dict[str, type[What]] = {
    kind.__name__.lower(): kind for kind in (Start, Log, Note, Files, Finish, Fail)
}


@dataclass(frozen=True)
class Entry:
    """One piece of a trial, and when it came to be, in MLflow's milliseconds.

    The moment is told to MLflow, which stores equal values of one moment once: what is sent twice is there once.
    """

    trial: str
    at: int
    what: What

    def kind(self) -> str:
        """Which of the pieces it is."""
        return type(self.what).__name__.lower()

    def text(self) -> str:
        """The piece as JSON, from which ``parse`` makes it again; Python's knows NaN and infinity."""
        body = dict(vars(self.what))
        if isinstance(self.what, Log) and self.what.marks is not None:
            body["marks"] = schema.encode_readings(self.what.marks)
        return json.dumps(body, separators=(",", ":"))

    @staticmethod
    def parse(trial: str, at: int, kind: str, text: str) -> Entry:
        """What ``text`` wrote of a piece of that kind; ValueError from anything else."""
        try:
            body = json.loads(text)
            if body.get("marks") is not None:
                body["marks"] = schema.decode_readings(body["marks"])
            if body.get("data") is not None:
                body["data"] = Data(*body["data"])
            return Entry(trial, at, _KINDS[kind](**body))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no entry of kind {kind}") from error


def now() -> int:
    """Milliseconds since the epoch, MLflow's time."""
    return time.time_ns() // 1_000_000
